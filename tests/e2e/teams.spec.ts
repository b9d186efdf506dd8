import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { cards, payByCard } from './support/checkout-page.ts'
import { startCounting } from './support/clicks.ts'
import { fillSignUp, signUp } from './support/people.ts'
import { alsoOnPhones, expect, long, test } from './support/test.ts'

test(
  'a team is bought from the pricing page, and a colleague spends its credits in an editor, after fourteen clicks or fewer',
  alsoOnPhones,
  async ({ page, browser }) => {
    const { email } = await signUp(page)
    const name = `Harbour ${email.split('.')[1]?.split('@')[0]}`
    await page.goto('/pricing')
    const counted = await startCounting(page.context())

    await page.getByRole('link', { name: 'Start with Teams' }).click()
    await expect(page.getByRole('heading', { name: 'Start with Teams' })).toBeVisible()
    const cost = page.getByLabel('What it costs')
    await expect(cost).toContainText('€150.00 a month')
    await page.getByLabel('Seats').fill('3')
    await expect(cost).toContainText('€90.00 a month')
    await expect(cost).toContainText('1,500 every month')
    await page.getByLabel('Organization name').fill(name)
    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await payByCard(page, cards.pays, 'Subscribe')
    await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
    await expect(page.getByText('with your organization as the one that pays.')).toBeVisible()
    await page.getByRole('button', { name: 'Invite Team Members' }).click()
    const colleague = email.replace('ada.', 'bob.')
    await page.getByLabel('Email address').fill(colleague)
    await page.getByRole('button', { name: 'Send Invite' }).click()
    await expect(page.getByText(`Invitation sent to ${colleague}`)).toBeVisible()

    const context = await browser.newContext()
    const theirs = await startCounting(context)
    const colleaguePage = await context.newPage()
    await acceptByMail(colleaguePage, colleague)
    await expect(colleaguePage.getByText(`You are viewing ${name}.`)).toBeVisible()
    await expect(colleaguePage.getByRole('region', { name: 'Seats' })).toContainText('You have a seat.')
    // The link in the mail is one more.
    expect(counted.clicks + 1 + theirs.clicks).toBeLessThanOrEqual(10)

    const editor = await connectEditor(colleaguePage, name)
    await expect(editor.getByRole('region', { name: 'Balance' })).toContainText('1,500 credits available')
    const explain = editor.getByRole('button', { name: /^Explain this function/ })
    await explain.click()
    const latest = editor.getByRole('article').last()
    await expect(latest).toContainText('12 credits used')
    expect(counted.clicks + 1 + theirs.clicks).toBeLessThanOrEqual(14)

    await chooseOneself(editor, name)
    await explain.click()
    await expect(latest).toContainText('An organization in which you have a seat could pay for this instead.')
    await expectAccessible(editor)
    await editor.getByRole('button', { name: `Let ${name} pay 1,488 credits` }).click()
    await explain.click()
    await expect(latest).toContainText('12 credits used')
    await colleaguePage.reload()
    const connected = colleaguePage.getByRole('listitem').filter({ hasText: 'Sample editor on laptop' })
    await expect(connected).toContainText(`Paid by ${name}`)
    await connected.getByText('Change', { exact: true }).click()
    await expectAccessible(colleaguePage)
    // It is chosen when the server says so.
    await connected.getByRole('radio', { name: 'Personal account' }).click()
    await expect(connected).toContainText('Paid by Personal account')
    await context.close()

    await page.getByRole('link', { name: 'Go to Dashboard' }).first().click()
    await expect(page.getByText(`You are viewing ${name}.`)).toBeVisible()
    await expect(page.getByRole('region', { name: 'Seats' })).toContainText('2 of 3 used')
    await expect(page.getByRole('region', { name: 'Available Credits' })).toContainText('1,476')
  },
)

test('the page of a team’s order says what is missing, and what a year costs', async ({ page }) => {
  await signUp(page)
  await page.goto('/teams/start?billing=yearly&currency=USD&seats=10')
  const cost = page.getByLabel('What it costs')
  await expect(cost).toContainText('$2,880.00 a year')
  await expect(cost).toContainText('$720.00 a year')
  await page.getByRole('button', { name: 'Continue to payment' }).click()
  await expect(page.getByText('Enter a name for your organization')).toBeVisible()
  await page.getByLabel('Seats').fill('101')
  await expect(page.getByText('Seats must be a whole number from 1 to 100')).toBeVisible()
  await expectAccessible(page)
  await page.getByText('Monthly', { exact: true }).click()
  await page.getByLabel('Seats').fill('100')
  await expect(cost).toContainText('$3,000.00 a month')
})

test('a visitor of the pricing page signs up on the way to the order of a team', long, async ({ page }) => {
  await page.goto('/pricing?billing=yearly&currency=GBP')
  // The page comes with the usual offer and shows the asked one a moment later.
  const start = page.getByRole('link', { name: 'Start with Teams' })
  await expect(start).toHaveAttribute('href', /billing%3Dyearly/)
  await start.click()
  await fillSignUp(page)
  await page.waitForURL('**/teams/start?billing=yearly&currency=GBP')
  await expect(page.getByLabel('What it costs')).toContainText('£1,440.00 a year')
})

/** From the dashboard, on whose account the page suggests the organization. */
async function connectEditor(page: Page, organization: string): Promise<Page> {
  const opened = page.context().waitForEvent('page')
  await page.getByRole('link', { name: 'Open the sample editor' }).first().click()
  const editor = await opened
  await editor.getByRole('button', { name: 'Sign in' }).click()
  await expect(editor.getByRole('radio', { name: organization })).toBeChecked()
  await expect(editor.getByRole('radio', { name: 'Personal account' })).not.toBeChecked()
  await expectAccessible(editor)
  await editor.getByRole('button', { name: 'Connect editor' }).click()
  return editor
}

/** In the editor: from the organization to the person, who has no credits. */
async function chooseOneself(editor: Page, organization: string): Promise<void> {
  const balance = editor.getByRole('region', { name: 'Balance' })
  await expect(balance).toContainText(`Paid by ${organization}`)
  await balance.getByText('Change', { exact: true }).click()
  await balance.getByRole('button', { name: 'Personal account' }).click()
  await expect(balance).toContainText('Paid by Personal account')
}

/** Opens the link of the newest mail, and signs up with the invited address. */
async function acceptByMail(page: Page, email: string): Promise<void> {
  const answer = await fetch(`${process.env.E2E_CLERK_URL}/_sandbox/mails?to=${email}`)
  const { data } = (await answer.json()) as { data: { url: string }[] }
  await page.goto(data[0]?.url ?? '')
  const password = page.getByLabel('Password', { exact: true })
  await password.fill(`tidal-${randomBytes(4).toString('hex')}-harbour`)
  await password.press('Enter')
  await page.waitForURL('**/dashboard')
}
