import { AxeBuilder } from '@axe-core/playwright'
import { findClockOffset } from './support/product.ts'
import { expect, longAndAlone, test } from './support/test.ts'

const dayMs = 24 * 3600_000

test(
  'the chip opens what one needs to try the product, and really turns the knobs',
  longAndAlone,
  async ({ page }) => {
    await page.goto('/pricing')
    await page.getByRole('button', { name: 'Sandbox' }).click()
    const panel = page.getByRole('dialog', { name: 'Sandbox' })
    await expect(panel.getByRole('region', { name: 'Failures' })).toBeVisible()
    const { violations } = await new AxeBuilder({ page }).include('[role="dialog"]').analyze()
    expect(violations).toEqual([])

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await panel.getByRole('button', { name: 'Copy 4000 0000 0000 0002 (Is declined)' }).click()
    await expect(panel.getByText('Copied', { exact: true })).toBeAttached()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('4000 0000 0000 0002')
    await expect(panel.getByRole('button', { name: 'Copy 424242 (Verification code)' })).toBeVisible()

    const before = await findClockOffset()
    await panel.getByLabel('Days').fill('2')
    await panel.getByRole('button', { name: 'Advance' }).click()
    await expect(panel.getByRole('button', { name: 'Reload to see what has changed' })).toBeVisible()
    expect(Math.round(((await findClockOffset()) - before) / dayMs)).toBe(2)

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
