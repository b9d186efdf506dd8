import type { Browser, BrowserContext, Page } from '@playwright/test'
import { type Cast, gatherCast, type Role } from '../screens/cast.ts'
import { type Screen, screens } from '../screens/list.ts'
import { showScreen } from '../screens/show.ts'
import { expectAccessibleInBothThemes } from './support/accessibility.ts'
import { fillSignUp } from './support/people.ts'
import { alsoOnPhones, expect, test } from './support/test.ts'

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }
const smallestPhone = { width: 320, height: 640 }
const largestShift = 0.05

/** Gathered by the first test that needs it, in its turn. */
let cast: Promise<Cast> | undefined
/** One for each role, so that the screens of a role share what the browser has loaded and compiled. */
const contexts = new Map<Role, BrowserContext>()

test.describe('every screen', () => {
  // The first one waits until all users have signed up and paid.
  test.describe.configure({ timeout: 240_000 })

  for (const screen of screens) {
    test(`${screen.name} is accessible in both themes, fits every width, stands still and logs nothing`, async ({
      browser,
      baseURL,
    }) => {
      cast ??= gatherCast({ browser, baseURL: baseURL ?? '' })
      const context = await contextOf({ browser, screen, cast: await cast })
      const page = await context.newPage()
      await page.setViewportSize(screen.only === 'narrow' ? phone : desktop)
      const logged = listen(page)
      await watchShifts(page)
      await showScreen(page, screen, await cast)
      expect(await shiftOf(page), 'layout shift').toBeLessThan(largestShift)
      await expectAccessibleInBothThemes(page)
      if (screen.only !== 'wide') await expectToFit(page, screen)
      // Browsers log a document that answers 404.
      expect(logged).toEqual(screen.route === '*' ? [expect.stringContaining('404 (Not Found)')] : [])
      await page.close()
    })
  }
})

test('the form signs a user up and ends on the dashboard', alsoOnPhones, async ({ page }) => {
  await page.goto('/sign-up')
  const { email } = await fillSignUp(page)
  await page.waitForURL('**/dashboard')
  await expect(page.getByRole('region', { name: 'Available Credits' })).toBeVisible()
  await page.getByRole('button', { name: /user/i }).click()
  await expect(page.getByText(email).first()).toBeVisible()
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

/** The messages of the browser's console about the page. */
function listen(page: Page): string[] {
  const logged: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') logged.push(message.text())
  })
  page.on('pageerror', (error) => logged.push(error.message))
  return logged
}

/** Sums up layout shifts without user input. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.shift = 0
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value
    }).observe({ type: 'layout-shift', buffered: true })
  `)
}

function shiftOf(page: Page): Promise<number> {
  return page.evaluate<number>('window.shift')
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
