import type { Page } from '@playwright/test'

export const cards = {
  pays: '4242 4242 4242 4242',
  isDeclined: '4000 0000 0000 0002',
  paysOnce: '4000 0000 0000 0341',
} as const

/** The hosted payment page, by the names that a person reads; `button` is what its button says. */
export async function payByCard(page: Page, card: string, button: string | RegExp = /^Pay/): Promise<void> {
  await page.getByLabel('Card number').fill(card)
  await page.getByLabel('Expiry').fill('12 / 34')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on card').fill('Ada Lovelace')
  await page.getByRole('button', { name: button }).click()
}

/** Goes from the dashboard to the payment page of a purchase. */
export async function startPurchase(page: Page, credits: number): Promise<void> {
  await page.getByLabel('Number of credits').fill(String(credits))
  await page.getByRole('button', { name: 'Add Credits' }).click()
  await page.waitForURL(/\/c\/pay\//)
}
