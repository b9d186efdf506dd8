import type { Page } from '@playwright/test'
import { cards, expectPacks, payByCard, payBySavedCard, startPurchase } from './support/checkout-page.ts'
import { startCounting } from './support/clicks.ts'
import { newCustomer, subscribe } from './support/customers.ts'
import { signUp } from './support/people.ts'
import { clearFaults, turnStripeKnob } from './support/product.ts'
import {
  alone,
  alsoOnPhones,
  expect,
  longAndAlone,
  longAndOnPhones,
  onPhonesFirst,
  test,
} from './support/test.ts'

const balance = (page: Page) => page.getByRole('region', { name: 'Available Credits' })
const sessionOf = (page: Page) => /cs_test_\w+/.exec(page.url())?.[0] ?? ''

test('a user buys 500 credits and sees the ledger’s balance', onPhonesFirst, async ({ page }) => {
  await signUp(page)
  await expect(balance(page)).toContainText('0')
  await expectPacks(page)
  await page.getByLabel('Number of credits').fill('500')
  await expect(page.getByText('Cost: €7.00')).toBeVisible()
  await startPurchase(page, 500)
  await expect(page.getByRole('button', { name: 'Pay €7.00' })).toBeVisible()
  await payByCard(page, cards.pays)

  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  await expect(page.getByText('+500')).toBeVisible()
  await expect(page.getByText('€7.00')).toBeVisible()
  await page.getByRole('link', { name: 'Return to Dashboard' }).click()
  await expect(balance(page).getByText('500', { exact: true }).first()).toBeVisible()
  // What has landed is not kept for the next purchase.
  await expectPacks(page)
  await page.reload()
  await expect(balance(page).getByText('500', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('region', { name: /activity/i }).getByText('+500')).toBeVisible()
})

test('the amount outlasts going back, cancelling and a reload', longAndOnPhones, async ({ page }) => {
  await signUp(page)
  const amount = page.getByLabel('Number of credits')
  await startPurchase(page, 640)
  await page.goBack()
  await expect(amount).toHaveValue('640')
  await page.getByRole('button', { name: 'Add Credits' }).click()
  await page.waitForURL(/\/c\/pay\//)
  await page.getByRole('link', { name: 'Cancel and return' }).click()
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await expect(amount).toHaveValue('640')
  await amount.fill('650')
  await page.reload()
  await expect(amount).toHaveValue('650')
  await expect(page.getByRole('button', { name: 'Add Credits' })).toBeEnabled()
  // Each payer has their own.
  await page.goto('/billing?tab=credits')
  await expect(amount).toHaveValue('650')
})

test(
  'a low balance is topped up with the card on file in three clicks',
  alsoOnPhones,
  async ({ page, baseURL }) => {
    const customer = await newCustomer(page.request, baseURL)
    await subscribe(customer, 'pro')
    await customer.spend(450)
    const counted = await startCounting(page.context())
    await page.goto('/dashboard')
    await expect(balance(page)).toContainText('50')
    await expect(page.getByText('You confirm with Visa •••• 4242 on the payment page.')).toBeVisible()
    await page.getByRole('button', { name: 'Add Credits · €21.00' }).click()
    await payBySavedCard(page, 'Visa •••• 4242')
    await expect(page.getByText('New balance1,550 credits')).toBeVisible()
    await page.getByRole('link', { name: 'Return to Dashboard' }).click()
    await expect(balance(page).getByText('1,550', { exact: true }).first()).toBeVisible()
    expect(counted.clicks).toBe(3)
  },
)

test(
  'however often it is clicked, and in two tabs, a purchase is one, and a slow answer is said',
  alone,
  async ({ page, context }) => {
    await signUp(page)
    const other = await context.newPage()
    await other.goto('/dashboard')
    await turnStripeKnob('faults', {
      hold: true,
      count: 1,
      path_prefix: '/v1/checkout/sessions',
      method: 'POST',
    })
    for (const tab of [page, other]) await tab.getByLabel('Number of credits').fill('500')
    await page.getByRole('button', { name: 'Add Credits' }).dblclick()
    await expect(page.getByRole('button', { name: 'Processing...' })).toBeDisabled()
    await expect(page.getByText('This takes longer than usual')).toBeVisible()
    await other.getByLabel('Number of credits').press('Enter')
    await other.keyboard.press('Enter')
    await expect(other.getByRole('button', { name: 'Processing...' })).toBeDisabled()
    await turnStripeKnob('faults/release')
    for (const tab of [page, other]) await tab.waitForURL(/\/c\/pay\//)
    expect(sessionOf(page)).not.toBe('')
    expect(sessionOf(other)).toBe(sessionOf(page))

    await payByCard(page, cards.pays)
    await expect(page.getByText('+500')).toBeVisible()
    await page.goto('/dashboard')
    await startPurchase(page, 500)
    expect(sessionOf(page)).not.toBe(sessionOf(other))
  },
)

test(
  'a purchase that cannot begin says what happened and that nothing was charged',
  longAndAlone,
  async ({ page, context }) => {
    await signUp(page)
    const buy = page.getByRole('button', { name: 'Add Credits' })
    await page.getByLabel('Number of credits').fill('500')
    await turnStripeKnob('faults', { status: 500, count: 20, path_prefix: '/v1/checkout' })
    await buy.click()
    const notifications = page.getByRole('region', { name: /Notifications/ })
    await expect(notifications).toContainText('Failed to create checkout session Nothing was charged.')
    await clearFaults()

    await context.setOffline(true)
    await expect(page.getByText(/^You are offline\. Nothing was charged\./)).toBeVisible()
    await buy.click()
    await expect(page.getByText('You are offline.')).toHaveCount(1)
    await expect(page.getByLabel('Number of credits')).toHaveValue('500')
    await context.setOffline(false)
    await expect(page.getByText('You will pay on our payment provider’s secure page.')).toBeVisible()
    await buy.click()
    await page.waitForURL(/\/c\/pay\//)
  },
)

test('credits that a bank takes days for are on the way, and a refusal is told of', async ({ page }) => {
  await signUp(page)
  await startPurchase(page, 1000)
  await page.getByLabel(/Bank debit/).check()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.waitForURL('**/billing/success**')
  const paid = page.url()
  const session = sessionOf(page)
  await page.goto('/dashboard')
  await expect(balance(page)).toContainText('1,000 credits on the way')
  const payments = page.getByRole('list', { name: 'Payments' })
  await expect(payments).toContainText('1,000 credits · €14.00')
  await expect(payments).toContainText('Pending')
  await turnStripeKnob(`sessions/${session}/settle`, { outcome: 'failed' })
  await expect(async () => {
    await page.goto('/dashboard')
    await expect(payments).toContainText('The payment did not go through.', { timeout: 3000 })
  }).toPass()
  await expect(balance(page)).not.toContainText('on the way')
  await page.goto(paid)
  await expect(page.getByRole('heading', { name: 'Payment failed' })).toBeVisible()
})
