import { expect, type Page } from '@playwright/test'

export const cards = {
  pays: '4242 4242 4242 4242',
  paysOnce: '4000 0000 0000 0341',
} as const

/** The hosted payment page, by the names that a person reads; `button` is what its button says. */
export async function payByCard(page: Page, card: string, button: string | RegExp = /^Pay/): Promise<void> {
  await page.getByLabel('Card number').waitFor({ state: 'attached' })
  // A returning customer's page begins with their saved card.
  const another = page.getByRole('radio', { name: 'Another card' })
  if (await another.isVisible()) await another.check()
  await page.getByLabel('Card number').fill(card)
  await page.getByLabel('Expiry').fill('12 / 34')
  await page.getByLabel('CVC').fill('123')
  await page.getByLabel('Name on card').fill('Ada Lovelace')
  await page.getByRole('button', { name: button }).click()
}

/** Pays with the saved card with which the page begins. */
export async function payBySavedCard(page: Page, card: string): Promise<void> {
  await page.waitForURL(/\/c\/pay\//)
  await expect(page.getByRole('radio', { name: card })).toBeChecked()
  await page.getByRole('button', { name: /^Pay/ }).click()
}

/** Goes from the dashboard to the payment page of a purchase. */
export async function startPurchase(page: Page, credits: number): Promise<void> {
  await page.getByLabel('Number of credits').fill(String(credits))
  await page.getByRole('button', { name: 'Add Credits' }).click()
  await page.waitForURL(/\/c\/pay\//)
}

/** The packs are the same wherever credits are sold, and a purchase can begin at once. */
export async function expectPacks(page: Page): Promise<void> {
  const packs = page.getByRole('group', { name: 'Quick select' }).getByRole('button')
  await expect(packs).toHaveText([
    /^500 credits for €7\.00/,
    /^1,500 credits for €21\.00, popular/,
    /^3,000 credits for €42\.00/,
  ])
  await expect(packs.and(page.getByRole('button', { pressed: true }))).toHaveText(/^1,500 credits/)
  await expect(page.getByLabel('Number of credits')).toHaveValue('1,500')
  await expect(page.getByRole('button', { name: /^Add Credits · / })).toBeEnabled()
}
