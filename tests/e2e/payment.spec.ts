import { cards, payByCard, startPurchase } from './support/checkout-page.ts'
import { signUp } from './support/people.ts'
import { clearFaults, turnStripeKnob } from './support/product.ts'
import { alsoOnPhones, expect, longAndAlone, test } from './support/test.ts'

test(
  'an order that was cancelled says what was not charged, and is taken up again',
  alsoOnPhones,
  async ({ page }) => {
    await signUp(page)
    await startPurchase(page, 500)
    const paymentPage = page.url()
    await page
      .getByRole('link', { name: /back|cancel/i })
      .first()
      .click()
    await expect(page.getByRole('heading', { name: 'Payment Cancelled' })).toBeVisible()
    await expect(page.getByText('Your payment was cancelled and no charges were made')).toBeVisible()
    const left = page.getByRole('region', { name: 'Your order' })
    await expect(left.getByRole('listitem')).toHaveCount(1)
    await expect(left.getByRole('listitem')).toContainText('500 credits€7.00')
    await expect(page.getByRole('heading', { name: 'What Happened?' })).toBeVisible()
    await page.getByText('Troubleshooting tips').click()
    await expect(page.getByText('Try another payment method')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Try Again' })).toHaveAttribute('href', paymentPage)
    await expect(page.getByRole('link', { name: 'Go Back' })).toHaveAttribute('href', '/pricing')
    await expect(page.getByRole('link', { name: 'Contact Support' })).toHaveAttribute('href', /^mailto:/)
    await left.getByRole('link', { name: 'Continue to payment: 500 credits' }).click()
    await page.waitForURL(paymentPage)
    await payByCard(page, cards.pays)
    await expect(page.getByText('+500 credits')).toBeVisible()

    await page.goto('/payment/cancelled')
    await expect(page.getByRole('heading', { name: 'Payment Cancelled' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try Again' })).toBeVisible()
    await expect(left).toBeHidden()
  },
)

test(
  'a payment that cannot be verified is no loss: it is said, tried again, and lands once',
  longAndAlone,
  async ({ page, context }) => {
    await signUp(page)
    await page.goto('/payment/success')
    await expect(page.getByText('Invalid payment session or user not authenticated')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Return to Pricing' })).toBeVisible()
    await page.goto('/dashboard')
    await startPurchase(page, 500)
    await turnStripeKnob('deliveries', { mode: 'never' })
    await turnStripeKnob('faults', { status: 500, count: 1000, path_prefix: '/v1/checkout/sessions' })
    await payByCard(page, cards.pays)
    await page.waitForURL('**/billing/success**')
    await expect(page.getByRole('heading', { name: 'Verifying Payment...' })).toBeVisible()
    await expect(page.getByRole('list', { name: 'Progress' }).getByRole('listitem')).toHaveCount(4)
    await expect(page.getByRole('heading', { name: 'Verification Error' })).toBeVisible({ timeout: 45_000 })
    await expect(
      page.getByText('Could not verify payment status, but your credits should be added shortly.'),
    ).toBeVisible()
    await clearFaults()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByText('+500 credits')).toBeVisible({ timeout: 45_000 })
    await expect(page.locator('[data-celebration]')).toBeVisible()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect(page.locator('[data-celebration]')).toBeHidden()

    const second = await context.newPage()
    await Promise.all([page.reload(), second.goto(page.url())])
    for (const tab of [page, second]) await expect(tab.getByText('New balance500 credits')).toBeVisible()
    await second.close()
    await page.getByRole('link', { name: 'View Billing History' }).click()
    await expect(page).toHaveURL(/\/billing\?tab=invoices/)
  },
)
