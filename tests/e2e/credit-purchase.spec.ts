import type { Page } from '@playwright/test'
import { cards, payByCard, startPurchase } from './support/checkout-page.ts'
import { signUp } from './support/people.ts'
import { findLedgerProblems, turnStripeKnob } from './support/product.ts'
import { alone, alsoOnPhones, expect, test } from './support/test.ts'

const balance = (page: Page) => page.getByRole('region', { name: 'Available Credits' })
const sessionOf = (page: Page) => /cs_test_\w+/.exec(page.url())?.[0] ?? ''

test.afterEach(async () => {
  expect(await findLedgerProblems()).toEqual([])
})

test('somebody buys 500 credits and sees what the ledger says', alsoOnPhones, async ({ page }) => {
  await signUp(page)
  await expect(balance(page)).toContainText('0')
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
  await page.reload()
  await expect(balance(page).getByText('500', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('region', { name: /activity/i }).getByText('+500')).toBeVisible()
})

test('a declined card says so, charges nothing, and another card pays', async ({ page }) => {
  await signUp(page)
  await startPurchase(page, 1500)
  await payByCard(page, cards.isDeclined)
  await expect(page.getByText('Your card was declined.')).toBeVisible()
  await payByCard(page, cards.pays)
  await expect(page.getByText('+1,500')).toBeVisible()
})

test('a cancelled page tells the truth and nothing is charged', async ({ page }) => {
  await signUp(page)
  await startPurchase(page, 500)
  await page
    .getByRole('link', { name: /back|cancel/i })
    .first()
    .click()
  await expect(page.getByRole('heading', { name: 'Payment Cancelled' })).toBeVisible()
  await expect(page.getByText('Your payment was cancelled and no charges were made')).toBeVisible()
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await expect(balance(page)).toContainText('You have no credits yet')
})

test('a delayed payment waits for the bank and lands when it confirms', async ({ page }) => {
  await signUp(page)
  await startPurchase(page, 500)
  await page.getByLabel(/Bank debit/).check()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.waitForURL('**/billing/success**')
  await expect(page.getByRole('heading', { name: 'Payment pending' })).toBeVisible()
  await turnStripeKnob(`sessions/${sessionOf(page)}/settle`, { outcome: 'succeeded' })
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText('+500')).toBeVisible()
})

test('a delayed payment that the bank refuses adds nothing and says so', async ({ page }) => {
  await signUp(page)
  await startPurchase(page, 500)
  await page.getByLabel(/Bank debit/).check()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.waitForURL('**/billing/success**')
  await turnStripeKnob(`sessions/${sessionOf(page)}/settle`, { outcome: 'failed' })
  await expect(page.getByRole('heading', { name: 'Payment failed' })).toBeVisible({ timeout: 60_000 })
})

test('a webhook that never comes is healed by the page that waits for it', alone, async ({ page }) => {
  await signUp(page)
  await turnStripeKnob('deliveries', { mode: 'never' })
  await startPurchase(page, 500)
  await payByCard(page, cards.pays)
  await expect(page.getByText('+500')).toBeVisible({ timeout: 60_000 })
})

test('a webhook that comes twice grants once', alone, async ({ page }) => {
  await signUp(page)
  await turnStripeKnob('deliveries', { mode: 'twice' })
  await startPurchase(page, 500)
  await payByCard(page, cards.pays)
  await expect(page.getByText('+500')).toBeVisible()
  await page.goto('/dashboard')
  await expect(balance(page).getByText('500', { exact: true }).first()).toBeVisible()
})

test('going back from the payment page leaves a button that works', async ({ page }) => {
  await signUp(page)
  await startPurchase(page, 500)
  await page.goBack()
  await page.getByLabel('Number of credits').fill('600')
  await expect(page.getByRole('button', { name: 'Add Credits' })).toBeEnabled()
})

test('somebody else’s session is not shown', async ({ page, browser }) => {
  await signUp(page)
  await startPurchase(page, 500)
  await payByCard(page, cards.pays)
  await page.waitForURL('**/billing/success**')
  const address = page.url()
  const stranger = await browser.newPage()
  await signUp(stranger)
  await stranger.goto(address)
  await expect(stranger.getByRole('heading', { name: 'Payment not found' })).toBeVisible()
  await stranger.close()
})
