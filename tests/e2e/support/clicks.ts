import type { Page } from '@playwright/test'

/** Counts clicks on every page that the tab opens, those of other origins included; keys are none. */
export async function startCounting(page: Page): Promise<{ readonly clicks: number }> {
  const counted = { clicks: 0 }
  await page.exposeFunction('countClick', () => {
    counted.clicks++
  })
  await page.addInitScript(`addEventListener('click', ({ detail }) => detail > 0 && countClick(), true)`)
  return counted
}
