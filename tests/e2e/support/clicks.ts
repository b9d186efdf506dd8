import type { BrowserContext } from '@playwright/test'

/** Counts a person's clicks on every page of a context, those of other origins included; keys are none. */
export async function startCounting(context: BrowserContext): Promise<{ readonly clicks: number }> {
  const counted = { clicks: 0 }
  await context.exposeFunction('countClick', () => {
    counted.clicks++
  })
  const count = `addEventListener('click', ({ detail, isTrusted }) => isTrusted && detail > 0 && countClick(), true)`
  await context.addInitScript(count)
  for (const page of context.pages()) await page.evaluate(count)
  return counted
}
