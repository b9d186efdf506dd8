import { findClockOffset } from './support/product.ts'
import { alsoOnPhones, expect, longAndAlone, test } from './support/test.ts'

const dayMs = 24 * 3600_000

test(
  'the chip opens what one needs to try the product, and really turns the knobs',
  longAndAlone,
  async ({ page }) => {
    await page.goto('/pricing')
    await page.getByRole('button', { name: 'Sandbox' }).click()
    const panel = page.getByRole('dialog', { name: 'Sandbox' })
    await expect(panel.getByRole('region', { name: 'Failures' })).toBeVisible()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await panel.getByRole('button', { name: 'Copy 4000 0000 0000 0002 (Is declined)' }).click()
    await expect(panel.getByText('Copied', { exact: true })).toBeAttached()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('4000 0000 0000 0002')
    await expect(panel.getByRole('button', { name: 'Copy 424242 (Verification code)' })).toBeVisible()

    const before = await findClockOffset()
    await panel.getByRole('button', { name: '+1 day', exact: true }).click()
    await expect(panel.getByRole('button', { name: 'Reload to see what has changed' })).toBeVisible()
    expect(Math.round(((await findClockOffset()) - before) / dayMs)).toBe(1)

    await panel.getByLabel(/^Late/).click()
    await expect(panel.getByLabel(/^Late/)).toBeChecked()
    await panel.getByRole('button', { name: 'Clerk: five errors (500)' }).click()
    await expect(panel.getByText('5 calls will fail.')).toBeVisible()
    await panel.getByRole('button', { name: 'Let them work again' }).click()
    await expect(panel.getByText('All calls work.')).toBeVisible()

    await page.keyboard.press('Escape')
    await expect(panel).toBeHidden()
    await expect(page.getByRole('button', { name: 'Sandbox' })).toBeFocused()
  },
)

test(
  'one click in the panel of the sandbox signs a visitor in, and the next one signs them in as another person',
  alsoOnPhones,
  async ({ page }) => {
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Sandbox' }).click()
      await page.getByRole('dialog', { name: 'Sandbox' }).getByRole('button', { name }).click()
    }
    await page.goto('/pricing')
    await choose('Dana Demo')
    await page.waitForURL('**/dashboard')
    await expect(page.getByRole('region', { name: 'Available Credits' })).toBeVisible()
    await choose('Sam Support')
    await page.waitForURL('**/support')
    await expect(page.getByRole('searchbox', { name: 'Search support' })).toBeVisible()
  },
)
