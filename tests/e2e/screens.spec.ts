import type { Browser, BrowserContext, Page } from '@playwright/test'
import { type Cast, gatherCast, type Role } from '../screens/cast.ts'
import { type Screen, screens } from '../screens/list.ts'
import { showScreen } from '../screens/show.ts'
import { isLong } from '../support/long.ts'
import { tried } from '../support/tried.ts'
import { expectAccessible, expectAccessibleInBothThemes } from './support/accessibility.ts'
import { listenForProblems } from './support/problems.ts'
import { expect, test } from './support/test.ts'

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }
const smallestPhone = { width: 320, height: 640 }
const largestShift = 0.05

/** One for each role, so that the screens of a role share what the browser has loaded and compiled. */
const contexts = new Map<Role, BrowserContext>()

test.describe('every screen', () => {
  let cast: Cast
  let seen = 0

  test.beforeAll(async ({ baseURL }) => {
    test.setTimeout(600_000)
    cast = await gatherCast(baseURL ?? '')
  })

  test.afterAll(() => tried({ screens: seen }))

  for (const screen of screens.filter(({ always }) => isLong || always)) {
    const inBothThemes = isLong || screen.always === 'both'
    const themes = inBothThemes ? 'both themes' : 'the light theme'
    test(`${screen.name} is accessible in ${themes}, fits every width, stands still and logs nothing`, async ({
      browser,
    }) => {
      const context = await contextOf({ browser, screen, cast })
      const page = await context.newPage()
      await page.setViewportSize(screen.only === 'narrow' ? phone : desktop)
      const logged = listenForProblems(page)
      await watchShifts(page)
      await showScreen(page, screen, cast)
      const { sum, sources } = await shiftsOf(page)
      expect(sum, `layout shift: ${sources.join('; ')}`).toBeLessThan(largestShift)
      if (!screen.open) await openAnswers(page)
      await (inBothThemes ? expectAccessibleInBothThemes(page) : expectAccessible(page))
      if (screen.only !== 'wide') await expectToFit(page, screen)
      // Browsers log a document that answers 404.
      expect(logged).toEqual(screen.route === '*' ? [expect.stringContaining('404 (Not Found)')] : [])
      await page.close()
      seen++
    })
  }
})

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

/** Every screen begins with the cookies and the storage that its role had at first. */
async function contextOf(input: { browser: Browser; screen: Screen; cast: Cast }): Promise<BrowserContext> {
  const { browser, screen, cast } = input
  const known = contexts.get(screen.as)
  if (known) {
    await known.setStorageState(cast.sessions[screen.as])
    return known
  }
  const context = await browser.newContext({
    storageState: cast.sessions[screen.as],
    reducedMotion: 'reduce',
  })
  contexts.set(screen.as, context)
  return context
}

/** Sums up layout shifts without user input, and notes what moved. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.shifts = { sum: 0, sources: [] }
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries()) {
        if (hadRecentInput) continue
        shifts.sum += value
        for (const { node, previousRect: from, currentRect: to } of sources) {
          const name = node?.outerHTML?.slice(0, 80) ?? node?.textContent
          shifts.sources.push(name + ' from ' + [from.y, from.height] + ' to ' + [to.y, to.height])
        }
      }
    }).observe({ type: 'layout-shift', buffered: true })
  `)
}

function shiftsOf(page: Page): Promise<{ sum: number; sources: string[] }> {
  return page.evaluate('window.shifts')
}

/** Of the public pages' questions, some of which have one open at a time. */
async function openAnswers(page: Page): Promise<void> {
  for (const question of await page.locator('#faq summary').all()) await question.click()
}

/** Nothing is wider than the smallest phone, and a table that scrolls shows it and takes the keyboard. */
async function expectToFit(page: Page, { name }: Screen): Promise<void> {
  await page.setViewportSize(smallestPhone)
  await expect
    .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), { message: name })
    .toBeLessThanOrEqual(smallestPhone.width)
  await expect
    .poll(() => page.evaluate<string[]>(hiddenColumns), { message: `${name}: tables without a sign of more` })
    .toEqual([])
}

const hiddenColumns = `[...document.querySelectorAll('table')]
  .filter(({ parentElement: box }) => box.scrollWidth > box.clientWidth + 1)
  .filter(({ parentElement: box }) =>
    box.tabIndex !== 0 || !box.ariaLabel || getComputedStyle(box).maskImage === 'none')
  .map(({ caption }) => caption?.textContent)`
