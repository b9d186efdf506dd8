import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { signUp } from './support/people.ts'
import { expect, test } from './support/test.ts'

const publicPages = [
  ['/', /./],
  ['/sign-in', /Sign in/i],
  ['/sign-up', /Create your account|Sign up/i],
  ['/payment/cancelled', 'Payment Cancelled'],
  ['/extension-signin', 'Authentication Error'],
  ['/nowhere', 'Oops! Page not found'],
] as const

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme })

    for (const [path, heading] of publicPages) {
      test(`${path} is accessible and fits a phone`, async ({ page }) => {
        await page.goto(path)
        await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible()
        await expectToFit(page)
        await expectAccessible(page)
      })
    }

    test('the dashboard is accessible and fits a phone', async ({ page }) => {
      await signUp(page)
      await expect(page.getByRole('region', { name: 'Available Credits' })).toBeVisible()
      await expectToFit(page)
      await expectAccessible(page)
    })
  })
}

/** Nothing is wider than a phone's screen. */
async function expectToFit(page: Page): Promise<void> {
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect
    .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'))
    .toBeLessThanOrEqual(390)
  if (wide) await page.setViewportSize(wide)
}

async function expectAccessible(page: Page): Promise<void> {
  // Clerk's own components are Clerk's; what they are placed in is ours.
  const { violations } = await new AxeBuilder({ page }).exclude('[class*="cl-rootBox"]').analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([])
}

test('signed out, the dashboard leads to sign-in and back', async ({ page }) => {
  await page.goto('/dashboard')
  await expect(page).toHaveURL(/\/sign-in/)
  await page.getByLabel('Email address').fill('demo@tidemark.test')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByLabel('Password', { exact: true }).fill('tidemark-demo-1')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
  await expect(page.getByRole('region', { name: 'Available Credits' })).toBeVisible()
})
