import type { Page } from '@playwright/test'
import type { Cast } from './cast.ts'
import { addressOf, type Screen } from './list.ts'

/** Goes to the screen, waits until it is complete, and opens its part. */
export async function showScreen(page: Page, screen: Screen, cast: Cast): Promise<void> {
  await page.goto(addressOf(screen, cast))
  await page.getByText(screen.shows).locator('visible=true').first().waitFor()
  await settle(page)
  if (!screen.open) return
  await screen.open(page)
  await settle(page)
}

/** No data, fonts or idle scripts are loading, and nothing moves. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('.animate-pulse:visible').first().waitFor({ state: 'detached' })
  await page.evaluate(`document.fonts.ready.then(() =>
    Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined)))
  ).then(() => undefined)`)
}
