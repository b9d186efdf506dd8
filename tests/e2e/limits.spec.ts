import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { callerOf, newCustomer, organizationOf, subscribe } from './support/customers.ts'
import { joinAsMember } from './support/organizations.ts'
import { spendAsEditor } from './support/spend-as-editor.ts'
import { alsoOnPhones, expect, test } from './support/test.ts'

const card = (page: Page, name: string) => page.getByRole('region', { name })

async function saveLimit(page: Page, credits: string, period?: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Limit').fill(credits)
  if (period) await dialog.getByText(period, { exact: true }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
}

test(
  'a person limits their own spending, and their editor is refused until the limit is raised',
  alsoOnPhones,
  async ({ page, baseURL }) => {
    const ada = await newCustomer(page.request, baseURL)
    await ada.buy(500)
    await page.goto('/billing?tab=credits')
    const limits = card(page, 'Spending limit')
    await expect(limits).toContainText('No limit')
    await limits.getByRole('button', { name: 'Change limit: You' }).click()
    await saveLimit(page, '1.5')
    await expect(page.getByText('A limit is a whole number of credits')).toBeVisible()
    await expectAccessible(page)
    await saveLimit(page, '100', 'Day')
    await expect(limits).toContainText('100 each day')
    await expect(limits).toContainText('0 spent · 100 left of 100')

    await spendAsEditor(page, { credits: 60 })
    const { ask } = await spendAsEditor(page, { credits: 41, status: 403 })
    await page.goto(ask ?? '')
    await expect(limits).toContainText('60 spent · 40 left of 100')
    await limits.getByRole('button', { name: 'Change limit: You' }).click()
    await saveLimit(page, '50')
    await expect(page.getByRole('dialog')).toContainText('have spent 60 of 50 credits in this period already')
    await page.getByRole('dialog').getByLabel('Limit').fill('200')
    await page.getByRole('dialog').getByText('This period only').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect(limits).toContainText('raised by 100 until then')
    await spendAsEditor(page, { credits: 41 })
    await page.reload()
    await expect(limits).toContainText('101 spent · 99 left of 200')
    await limits.getByRole('button', { name: 'Change limit: You' }).click()
    await page.getByRole('button', { name: 'Remove limit' }).click()
    await expect(limits).toContainText('No limit')
  },
)

test(
  'a member whose limit is reached asks for more, and an admin raises it from the list of people',
  alsoOnPhones,
  async ({ page, browser, baseURL }) => {
    const ada = await newCustomer(page.request, baseURL)
    await subscribe(ada, 'teams', 2)
    const payer = await organizationOf(ada)
    const bobs = await browser.newContext({ viewport: page.viewportSize(), ...(baseURL && { baseURL }) })
    const bobPage = await bobs.newPage()
    const bob = await joinAsMember(bobPage, payer)
    await ada.call('/api/organizations/seats/assign', { org_id: payer, email: bob.email, role: 'member' })
    const { userId } = await callerOf(bobs.request, baseURL)

    await page.goto(`/organizations?tab=billing&payer=${payer}`)
    const limits = card(page, 'Spending limits')
    await limits.getByRole('button', { name: 'Change limit: Everyone together' }).click()
    await saveLimit(page, '400')
    await expect(limits).toContainText('400 each billing month')
    // The notice lies over the next button, and stays as long as the mouse is on it.
    await page.mouse.move(0, 0)
    await expect(page.getByText('Limit set to 400 credits')).toHaveCount(0)
    await limits.getByRole('button', { name: 'Change limit: Each member' }).click()
    await saveLimit(page, '50', 'Day')
    await expect(limits).toContainText('50 each day')
    await expectAccessible(page)

    await spendAsEditor(bobPage, { credits: 50, payer })
    const { ask } = await spendAsEditor(bobPage, { credits: 20, payer, status: 403 })
    await bobPage.goto(ask ?? '')
    await expect(card(bobPage, 'Spending limits')).toContainText('50 spent · nothing left of 50')
    await expect(card(bobPage, 'Spending limits')).toContainText('Everyone together')
    await card(bobPage, 'Spending limits').getByRole('button', { name: 'Ask for more' }).first().click()
    await expect(bobPage.getByText('The administrators of your organization have been asked')).toBeVisible()
    await expectAccessible(bobPage)

    await page.goto(`/organizations?tab=seats&payer=${payer}`)
    await expect(page.getByText('Asks for more').filter({ visible: true })).toBeVisible()
    await expectAccessible(page)
    await page.goto(`/organizations?tab=seats&payer=${payer}&limit_of=${userId}`)
    const dialog = page.getByRole('dialog', { name: /^Limit of/ })
    await dialog.getByLabel('Limit').fill('80')
    await dialog.getByText('This period only').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('50 of 80').filter({ visible: true })).toBeVisible()
    await expect(page.getByText('Asks for more').filter({ visible: true })).toBeHidden()
    await spendAsEditor(bobPage, { credits: 20, payer })
    await bobs.close()
  },
)

test(
  'a person whose limit is nearly used is told in the panel of the sandbox, and not after they unsubscribe',
  alsoOnPhones,
  async ({ page, baseURL }) => {
    const ada = await newCustomer(page.request, baseURL)
    await ada.buy(500)
    await page.goto('/billing?tab=credits')
    await page.getByRole('button', { name: 'Change limit: You' }).click()
    await saveLimit(page, '100')
    await expect(card(page, 'Spending limit')).toContainText('100 each')
    await spendAsEditor(page, { credits: 80 })
    await page.goto('/billing')
    const mails = page.getByRole('checkbox', { name: /^E-mail me when/ })
    await expect(mails).toBeChecked()
    await page.getByRole('button', { name: 'Sandbox' }).click()
    const panel = page.getByRole('region', { name: 'Mails' })
    await panel.getByText('80% of a spending limit used').first().click()
    const mail = await panel.getByText(`To: ${ada.email}`).textContent()
    await page.goto(/Unsubscribe: (\S+)/.exec(mail ?? '')?.[1] ?? '')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await expect(page.getByText('You get no more of these mails.')).toBeVisible()
    await page.goto('/billing')
    await expect(mails).not.toBeChecked()
    await mails.click()
    await expect(mails).toBeChecked()
  },
)
