import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './test.ts'

/** The rules that a theme can break: it changes colors and nothing else. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** No rule of axe is broken as the page is. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page, openAxe(page))).toEqual([])
}

/** No rule of axe is broken in the light theme, and none about colors in the dark one. */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  await choose(page, 'light')
  expect(await findViolations(page, openAxe(page)), 'light').toEqual([])
  await choose(page, 'dark')
  expect(await findViolations(page, openAxe(page).withRules(colorRules)), 'dark').toEqual([])
}

async function choose(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await expect(page.locator('html')).toContainClass(colorScheme)
}

function openAxe(page: Page): AxeBuilder {
  return (
    new AxeBuilder({ page })
      // Clerk's own components are not ours to fix.
      .exclude('[class*="cl-rootBox"]')
      .options({ resultTypes: ['violations'] })
      // It would open one more page for every run, to put the results of several frames together.
      .setLegacyMode(page.frames().length === 1)
  )
}

/** A text that is still fading in has too little contrast. */
const animationsEnd = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished)
).then(() => undefined)`

async function findViolations(page: Page, axe: AxeBuilder): Promise<string[]> {
  await page.evaluate(animationsEnd)
  const { violations } = await axe.analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
