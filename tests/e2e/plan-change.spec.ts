import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { cards, payByCard } from './support/checkout-page.ts'
import { newCustomer, subscribe } from './support/customers.ts'
import { openSandboxStripe } from './support/product.ts'
import { alsoOnPhones, expect, test } from './support/test.ts'

const region = (page: Page, name: string) => page.getByRole('region', { name })

/** Leads from the button to Stripe's page and confirms there. */
async function switchTo(page: Page, frequency: 'monthly' | 'yearly', expectations: readonly RegExp[]) {
  await region(page, 'Current Plan')
    .getByRole('button', { name: `Switch to ${frequency} billing` })
    .click()
  const dialog = page.getByRole('dialog', { name: `Switch to ${frequency} billing` })
  for (const text of expectations) await expect(dialog).toContainText(text)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Review and confirm' }).click()
  await page.waitForURL(/\/p\/session\//)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.waitForURL(`**/dashboard?billed=${frequency}`)
}

test(
  'a customer switches to yearly at once, back to monthly from the next period, and keeps the year after all',
  alsoOnPhones,
  async ({ page, baseURL }) => {
    const customer = await newCustomer(page.request, baseURL)
    const id = await subscribe(customer, 'pro')
    await page.goto('/dashboard')
    await expect(region(page, 'Current Plan')).toContainText('Free trial')
    await openSandboxStripe().subscriptions.update(id, { trial_end: 'now' })
    await expect(async () => {
      await page.reload()
      await expect(region(page, 'Current Plan').getByText('Active')).toBeVisible({ timeout: 2000 })
    }).toPass()

    await switchTo(page, 'yearly', [
      /Due todayabout €172\.00/,
      /Then€192\.00 a year/,
      /Plan credits .*500 of 500/,
    ])
    await expect(page.getByText('Your plan is billed yearly now')).toBeVisible()
    await expect(region(page, 'Available Credits')).toContainText('500')

    await switchTo(page, 'monthly', [/Due todayNothing/, /From \w+ \d+, \d+€20\.00 a month/])
    const change = page.getByRole('heading', { name: /^From \w+ \d+, \d+: monthly billing$/ })
    await expect(change).toBeVisible()
    await expect(region(page, 'Current Plan')).toContainText(/Next changemonthly billing on \w+ \d+/)
    await expectAccessible(page)
    await page.goto('/billing')
    await expect(change).toBeVisible()
    await expect(page.getByRole('button', { name: 'Keep yearly billing' })).toBeEnabled()
    await page.goBack()
    await page.getByRole('button', { name: 'Keep yearly billing' }).click()
    await expect(page.getByText('The plan keeps yearly billing.')).toBeVisible()
    await expect(change).toBeHidden()
    await expect(page.getByText('Your plan is being changed')).toBeHidden()
    await page.reload()
    await expect(region(page, 'Current Plan')).toContainText('Active')
    await expect(page.getByText('Your plan is being changed')).toBeHidden()
  },
)

test(
  'a customer of Pro who starts Teams is told what Pro gives back, and has it back once Teams is paid',
  alsoOnPhones,
  async ({ page, baseURL }) => {
    const customer = await newCustomer(page.request, baseURL)
    const id = await subscribe(customer, 'pro')
    const stripe = openSandboxStripe()
    await stripe.subscriptions.update(id, { trial_end: 'now' })
    await page.goto('/teams/start')
    const ends = page.getByRole('checkbox', { name: 'End my Pro plan when Teams is paid' })
    await expect(async () => {
      await page.reload()
      await expect(ends).toHaveAccessibleDescription(
        /About €(20\.00|19\.\d\d) goes back to your card.*500 unused Pro credits expire\./,
        { timeout: 2000 },
      )
    }).toPass()
    await expect(ends).toBeChecked()
    await ends.uncheck()
    await expect(ends).toHaveAccessibleDescription('Pro stays beside Teams and renews as before.')
    await ends.check()
    await page.getByLabel('Organization name').fill('Harbour')
    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await payByCard(page, cards.pays, 'Subscribe')
    await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
    await expect(page.getByLabel('Payment Summary')).toContainText(
      /Your Pro planEnded(about )?€(20\.00|19\.\d\d) goes back to your card/,
    )
    expect(await customer.call('/api/account/next-payment')).toMatchObject({ payment: null })

    await expect
      .poll(async () => (await stripe.subscriptions.retrieve(id)).status, { timeout: 60_000 })
      .toBe('canceled')
    await expect
      .poll(
        async () =>
          (await stripe.refunds.list({ limit: 100 })).data.filter(
            ({ metadata }) => metadata?.unusedPartOf === id,
          ).length,
        { timeout: 60_000 },
      )
      .toBe(1)
    await page.goto('/teams/start')
    await expect(page.getByRole('button', { name: 'Continue to payment' })).toBeEnabled()
    await expect(ends).toBeHidden()
  },
)
