import type { Page } from '@playwright/test'
import { cards, payByCard } from './support/checkout-page.ts'
import { startCounting } from './support/clicks.ts'
import { fillSignUp, signUp } from './support/people.ts'
import { alsoOnPhones, expect, long, test } from './support/test.ts'

const region = (page: Page, name: string) => page.getByRole('region', { name })

test(
  'a visitor signs up for Pro, starts the trial and has the plan and its credits after six clicks or fewer',
  alsoOnPhones,
  async ({ page, baseURL }) => {
    const counted = await startCounting(page.context())
    await page.goto('/')
    await page.getByRole('link', { name: 'Start 14-Day Free Trial' }).click()
    await page.waitForURL('**/pricing')
    await page.getByRole('link', { name: 'Start 14-Day Free Trial' }).click()
    await page.waitForURL('**/sign-up?plan=pro**')
    const ordered = page.waitForRequest('**/api/stripe/create-checkout-session')
    await fillSignUp(page)
    await page.waitForURL(/\/c\/pay\//)
    expect((await ordered).postDataJSON()).toEqual({
      planType: 'pro',
      billingFrequency: 'monthly',
      currency: 'EUR',
      priceId: 'pro_monthly',
      seats: 1,
      clerkUserId: expect.stringMatching(/^user_/),
      successUrl: `${baseURL}/payment/success`,
      cancelUrl: `${baseURL}/payment/cancelled`,
    })
    await expect(page.getByText('14 days free').first()).toBeVisible()
    await payByCard(page, cards.pays, 'Start trial')

    await page.waitForURL('**/payment/success**')
    await expect(page.getByRole('heading', { name: 'Your trial has started' })).toBeVisible()
    await expect(page.getByText(/^Pro is free until \w+ \d+, \d+\. We charge your card/)).toBeVisible()
    await expect(receiptLine(page, 'Billing')).toContainText('Monthly')
    await expect(receiptLine(page, 'Amount')).toContainText('€0.00 today')
    await expect(receiptLine(page, 'Amount')).toContainText('then €20.00 per month')
    await expect(page.getByRole('main').getByText(/\w+ \d+, 20\d\d/)).toHaveCount(1)
    await expect(receiptLine(page, 'Credits Granted')).toContainText('+500')
    await expect(receiptLine(page, 'Seats')).toHaveCount(0)

    await page.getByRole('link', { name: 'Go to Dashboard' }).click()
    await expect(region(page, 'Current Plan').getByText('Pro', { exact: true })).toBeVisible()
    const credits = region(page, 'Available Credits')
    await expect(credits.getByText('500', { exact: true })).toBeVisible()
    expect(counted.clicks).toBeLessThanOrEqual(6)
    await expect(credits).toContainText(/500 credits0 of 500 plan credits used · resets \w+ \d+/)
    await credits.getByRole('link', { name: 'Add credits' }).click()
    await expect(region(page, 'Add Credits')).toBeInViewport()
    await expect(region(page, 'Get started')).toContainText('Your plan adds 500 credits every month.')
    await expect(region(page, 'Get started')).not.toContainText('never expire')
  },
)

test(
  'Teams for three seats belongs to a new organization, which is filled at once',
  long,
  async ({ page }) => {
    await signUp(page)
    const offer = '/auth/post-signup?plan=teams&billing=monthly&currency=EUR&seats=3'
    await page.goto(offer)
    await page.waitForURL(/\/c\/pay\//)
    await expect(page.getByText('€90.00').first()).toBeVisible()
    await payByCard(page, cards.pays, 'Subscribe')

    await page.waitForURL('**/payment/success**')
    await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
    await expect(receiptLine(page, 'Plan')).toContainText('Teams')
    await expect(receiptLine(page, 'Seats')).toContainText('3')
    await expect(receiptLine(page, 'Amount')).toContainText('€90.00')
    await expect(receiptLine(page, 'Credits Granted')).toContainText('+1,500')
    await expect(receiptLine(page, 'Credits Granted')).toContainText('in your organization’s pool')
    await inviteTeam(page)

    await page.getByRole('link', { name: 'Go to Dashboard' }).first().click()
    await expect(page.getByText(/^You are viewing .*team\.$/)).toBeVisible()
    const credits = region(page, 'Available Credits')
    await expect(credits.getByText('1,500', { exact: true }).first()).toBeVisible()
    await page.getByRole('button', { name: /organization switcher/i }).click()
    await page.getByRole('button', { name: 'Personal account' }).click()
    const plan = region(page, 'Current Plan')
    await expect(plan.getByText('Teams', { exact: true })).toBeVisible()
    await expect(plan.getByText('Billed to your organization')).toBeVisible()
    await expect(plan.getByRole('button', { name: 'Manage billing' })).toHaveCount(0)
    await expect(credits.getByText('0', { exact: true }).first()).toBeVisible()
    await expect(credits.getByText('in your organization’s pool')).toBeVisible()
    await page.getByRole('button', { name: /organization switcher/i }).click()
    await expect(
      page.getByRole('group', { name: 'List of all accounts' }).getByRole('button', { name: /team/i }),
    ).toBeVisible()

    await page.goto(offer)
    await expect(page.getByRole('heading', { name: 'You are already subscribed' })).toBeVisible()
    await page.getByRole('button', { name: 'Manage billing' }).click()
    await page.waitForURL(/\/p\/session\//)
  },
)

/** The two seats beside the buyer's own. */
async function inviteTeam(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Invite Team Members' }).click()
  const manager = region(page, 'Invite your team')
  const row = (email: string) => manager.getByRole('listitem').filter({ hasText: email })
  const invite = async (email: string) => {
    await manager.getByLabel('Email address').fill(email)
    await manager.getByRole('button', { name: 'Send Invite' }).click()
  }
  await expect(manager.getByText('1 of 3 seats used')).toBeVisible()
  await invite('bob')
  await expect(manager.getByText('Please enter a valid email address')).toBeVisible()
  await invite('bob@tidemark.test')
  await expect(manager.getByText('Invitation sent to bob@tidemark.test')).toBeVisible()
  await expect(row('bob')).toContainText('Pending')
  await invite('Bob@tidemark.test')
  await expect(manager.getByText('This email has already been invited')).toBeVisible()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await manager.getByRole('button', { name: 'Copy the link for bob@tidemark.test' }).click()
  await expect(manager.getByText('Invitation link copied to clipboard')).toBeVisible()
  await invite('eve@tidemark.test')
  await expect(manager.getByText('Maximum of 3 team members allowed')).toBeVisible()
  await expect(manager.getByText('3 of 3 seats used')).toBeVisible()
  await manager.getByRole('button', { name: 'Revoke the invitation to bob@tidemark.test' }).click()
  await expect(manager.getByText('Invitation to bob@tidemark.test has been revoked')).toBeVisible()
  await expect(row('bob')).toContainText('Revoked')
  await expect(manager.getByLabel('Email address')).toBeVisible()
  await manager.getByRole('button', { name: 'Close' }).click()
  await expect(manager).toBeHidden()
  await expect(page.getByRole('button', { name: 'Invite Team Members' })).toBeVisible()
}

const receiptLine = (page: Page, term: string) =>
  page
    .getByLabel('Payment Summary')
    .locator('div')
    .filter({ has: page.getByText(term, { exact: true }) })
