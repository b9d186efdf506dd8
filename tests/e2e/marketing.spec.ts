import type { Page } from '@playwright/test'
import { signUp } from './support/people.ts'
import { listenForProblems } from './support/problems.ts'
import { alsoOnPhones, expect, german, long, test } from './support/test.ts'

const headline = 'The AI pair programmer that has read your whole codebase'
const phone = { width: 320, height: 640 }

test('the public pages run nothing of the sign-in service, log no error, mark their samples once, and link only what is configured', async ({
  page,
}) => {
  const problems = listenForProblems(page)
  const requested: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).pathname))
  for (const path of ['/', '/pricing', '/teams', '/updates', '/docs', '/terms']) {
    await page.goto(path)
    // A page whose scripts are still on their way takes the choice with them.
    await page.getByRole('radio', { name: 'Dark theme' }).click()
    await expect(page.locator('html')).toHaveClass(/dark/)
    await page.waitForLoadState('networkidle')
    const hasSamples = ['/', '/pricing', '/teams', '/updates'].includes(path)
    await expect(page.getByText('Sample content')).toHaveCount(hasSamples ? 1 : 0)
    const links = await Promise.all(
      (await page.getByRole('link').all()).map((link) => link.getAttribute('href')),
    )
    expect(links.filter((href) => !href || !/^(\/|#|mailto:)/.test(href))).toEqual([])
  }
  expect(requested.filter((name) => /clerk.*\/v1\/|SessionProvider|\/api\//i.test(name))).toEqual([])
  expect(await page.evaluate('"Clerk" in window')).toBe(false)
  expect(problems).toEqual([])
})

test(
  'a reader who moves has the sign-up form’s files before its page, and one who saves data or rests has not',
  alsoOnPhones,
  async ({ page, context }) => {
    const fetched = (path: string) =>
      page.waitForEvent('requestfinished', (request) => new RegExp(path).test(request.url()))
    const requested: string[] = []
    context.on('request', (request) => requested.push(new URL(request.url()).pathname))
    const ofTheForm = () => requested.filter((path) => /clerk|sign-up|\/main-shared/.test(path))

    const saving = await context.newPage()
    await saving.addInitScript(
      'Object.defineProperty(navigator, "connection", { value: { saveData: true } })',
    )
    await saving.goto('/pricing')
    await saving.getByRole('radio', { name: 'Yearly' }).check()
    await saving.waitForLoadState('networkidle')
    await saving.close()
    await page.goto('/pricing')
    await page.waitForLoadState('networkidle')
    expect(ofTheForm()).toEqual([])

    const parts = ['framework', 'vendors', 'ui-common', 'signup']
    const all = Promise.all([
      ...parts.map((part) => fetched(`/@clerk/ui@[^/]+/dist/${part}_ui_`)),
      fetched('/clerk-js@6/dist/clerk.browser.js$'),
      fetched('/assets/main-shared'),
    ])
    // The page notices a move once its own scripts run.
    await expect(async () => {
      await page.keyboard.press('Tab')
      expect(ofTheForm()).not.toEqual([])
    }).toPass()
    await all
    expect(await page.evaluate('"Clerk" in window')).toBe(false)

    await page.goto('/sign-up')
    await expect(page.getByLabel('Email address')).toBeVisible()
    const transferred = await page.evaluate<string[]>(
      'performance.getEntriesByType("resource").filter((file) => file.transferSize > 0).map((file) => file.name)',
    )
    expect(
      transferred.filter((file) =>
        /main-shared|clerk\.browser|(framework|vendors|common|signup)_ui_/.test(file),
      ),
    ).toEqual([])
  },
)

test('a click before the scripts are loaded takes effect once they are', async ({ page }) => {
  const clickEarly = (...controls: string[]) =>
    page.addInitScript(`
      document.addEventListener('DOMContentLoaded', () => {
        for (const control of ${JSON.stringify(controls)}) document.querySelector(control)?.click()
      })
    `)
  await page.setViewportSize(phone)
  await clickEarly('[aria-label="Dark theme"]', 'input[value="yearly"]')
  await page.goto('/pricing')
  await expect(page.getByRole('article', { name: 'Pro' })).toContainText('€192 once a year')
  await expect(page.getByRole('radio', { name: 'Yearly' })).toBeChecked()
  await expect(page.locator('html')).toHaveClass(/dark/)
  await expect(page.getByRole('radio', { name: 'Dark theme' })).toBeChecked()

  await clickEarly('#faq summary', '[aria-label="Open menu"]')
  await page.goto('/')
  await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('#faq details').first()).toHaveAttribute('open')
})

test.describe('the navigation', () => {
  test(
    'the navigation turns light once the page is scrolled by more than 50 pixels, and back',
    long,
    async ({ page }) => {
      await page.goto('/')
      const color = () =>
        page.evaluate<string>('getComputedStyle(document.querySelector("header")).backgroundColor')
      const clear = await color()
      await page.evaluate('window.scrollTo({ top: 50, behavior: "instant" })')
      await expect.poll(color).toBe(clear)
      await page.evaluate('window.scrollTo({ top: 51, behavior: "instant" })')
      await expect.poll(color).not.toBe(clear)
      await page.evaluate('window.scrollTo({ top: 0, behavior: "instant" })')
      await expect.poll(color).toBe(clear)
    },
  )

  test('leads to every page and to the features', async ({ page }) => {
    await page.goto('/updates')
    const nav = page.getByRole('navigation', { name: 'Main' })
    await nav.getByRole('link', { name: 'Features' }).click()
    await expect(page).toHaveURL(/\/#features$/)
    await expect(page.getByRole('heading', { name: 'An agent that turns ideas into code' })).toBeInViewport()
    await nav.getByRole('link', { name: 'Pricing' }).click()
    await expect(page).toHaveURL(/\/pricing$/)
    await expect(nav.getByRole('link', { name: 'Pricing' })).toHaveAttribute('aria-current', 'page')
    await page.getByRole('contentinfo').getByRole('link', { name: 'Teams' }).click()
    await expect(page).toHaveURL(/\/teams$/)
    await page.getByRole('banner').getByRole('link', { name: 'Get Started' }).click()
    await expect(page).toHaveURL(/\/pricing$/)
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/sign-in/)
    await page.getByRole('link', { name: /home$/ }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(headline)
  })

  test(
    'the navigation opens Resources by keyboard, walks through it and closes it with Escape',
    long,
    async ({ page }) => {
      await page.goto('/')
      const trigger = page.getByRole('button', { name: 'Resources' })
      const updates = page.getByRole('banner').getByRole('link', { name: /^Updates/ })
      const requests = page.getByRole('banner').getByRole('link', { name: /^Feature Requests/ })
      await trigger.focus()
      await page.keyboard.press('Enter')
      await expect(trigger).toHaveAttribute('aria-expanded', 'true')
      await page.keyboard.press('ArrowDown')
      await expect(updates).toBeFocused()
      await page.keyboard.press('ArrowDown')
      await expect(requests).toBeFocused()
      await expect(requests).toHaveAttribute('href', /^mailto:/)
      await page.keyboard.press('Escape')
      await expect(trigger).toBeFocused()
      await expect(updates).toBeHidden()
      await trigger.click()
      await page.getByRole('heading', { level: 1 }).click()
      await expect(updates).toBeHidden()
      await trigger.click()
      await updates.click()
      await expect(page.getByRole('heading', { level: 1, name: 'Updates' })).toBeVisible()
    },
  )

  test(
    'the navigation is a dialog on a phone that keeps the focus, locks the page and closes with Escape',
    long,
    async ({ page }) => {
      await page.setViewportSize(phone)
      await page.goto('/')
      const opener = page.getByRole('button', { name: 'Open menu' })
      await opener.click()
      const dialog = page.getByRole('dialog', { name: 'Menu' })
      await expect(dialog.getByRole('link', { name: 'Pricing' })).toBeVisible()
      await expect(dialog.getByRole('link', { name: 'Sign In' })).toBeVisible()
      for (let presses = 0; presses < 20; presses += 1) {
        await page.keyboard.press('Tab')
        await expect(dialog.locator(':focus')).toHaveCount(1)
      }
      await page.mouse.wheel(0, 600)
      await expect.poll(() => page.evaluate('document.body.style.pointerEvents')).toBe('none')
      expect(await page.evaluate('window.scrollY')).toBe(0)
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(opener).toBeFocused()
      await opener.click()
      await dialog.getByRole('link', { name: 'Features' }).click()
      await expect(dialog).toBeHidden()
      await expect(
        page.getByRole('heading', { name: 'An agent that turns ideas into code' }),
      ).toBeInViewport()
    },
  )
})

test(
  'the demo plays once it is in view and the tools move until they are stopped, unless a reader wants no motion',
  alsoOnPhones,
  async ({ page, isMobile }) => {
    const problems = listenForProblems(page)
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    const demo = page.getByLabel(/^A recording of the editor/)
    const row = page.locator('[data-moving]')
    const motion = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('[data-moving]')).animationPlayState`)
    const playedFor = () => page.evaluate<number>(`document.querySelector('video').currentTime`)

    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto('/')
    await demo.scrollIntoViewIfNeeded()
    await expect(row.getByText('Linear')).toHaveCount(2)
    await expect(row.getByText('Linear').last()).toBeHidden()
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('[data-moving]')).animationName`),
    ).toBe('none')
    await page.waitForLoadState('networkidle')
    expect(requested).not.toContain('/demo.webm')
    expect(await playedFor()).toBe(0)

    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto('/')
    await demo.scrollIntoViewIfNeeded()
    await expect.poll(playedFor).toBeGreaterThan(0)
    expect(await page.evaluate(`document.querySelector('video').muted`)).toBe(true)

    const stop = page.getByRole('checkbox', { name: 'Pause the row of tools' })
    await stop.scrollIntoViewIfNeeded()
    expect(await motion()).toBe('running')
    await page.keyboard.press('Tab')
    await stop.focus()
    await expect.poll(motion).toBe('paused')
    await page.keyboard.press('Space')
    await stop.blur()
    await expect(stop).toBeChecked()
    expect(await motion()).toBe('paused')
    await stop.uncheck({ force: true })
    await stop.blur()
    await page.mouse.move(0, 0)
    await expect.poll(motion).toBe('running')
    if (!isMobile) {
      await row.hover({ force: true })
      await expect.poll(motion).toBe('paused')
    }
    expect(problems).toEqual([])
  },
)

test(
  'the docs are one click away, with sections that can be linked',
  alsoOnPhones,
  async ({ page, isMobile }) => {
    await page.goto('/')
    if (isMobile) await page.getByRole('button', { name: 'Open menu' }).click()
    const nav = page.getByRole('navigation', { name: isMobile ? 'Menu' : 'Main' })
    await nav.getByRole('link', { name: 'Docs' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'For extension authors' })).toBeVisible()
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Holds' }).click()
    await expect(page).toHaveURL(/\/docs#holds$/)
    await expect(page.getByRole('heading', { level: 2, name: 'Holds' })).toBeInViewport()
  },
)

test.describe('the carousel', () => {
  test.use({ reducedMotion: 'reduce' })

  test('the carousel shows three cards, two on a tablet and one on a phone', long, async ({ page }) => {
    await page.goto('/')
    for (const [width, cards] of [
      [1280, 3],
      [800, 2],
      [500, 1],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await expect(carousel(page).getByRole('listitem')).toHaveCount(cards)
    }
  })

  test(
    'the carousel moves by buttons, dots and arrow keys, and goes around at both ends',
    long,
    async ({ page }) => {
      await page.setViewportSize({ width: 500, height: 800 })
      await page.goto('/')
      const seen = carousel(page).getByRole('heading')
      const dots = carousel(page).getByRole('button', { name: /^Show card/ })
      await expect(dots).toHaveCount(9)
      await expect(seen).toHaveText(['Loops on errors'])
      await carousel(page).getByRole('button', { name: 'Previous card' }).click()
      await expect(seen).toHaveText(['Security and compliance'])
      await carousel(page).getByRole('button', { name: 'Next card' }).click()
      await expect(seen).toHaveText(['Loops on errors'])
      await dots.nth(4).click()
      await expect(seen).toHaveText(['In-line edit'])
      await expect(dots.nth(4)).toHaveAttribute('aria-current', 'true')
      await page.keyboard.press('ArrowRight')
      await expect(seen).toHaveText(['Multi-file edits'])
      for (let presses = 0; presses < 6; presses += 1) await page.keyboard.press('ArrowLeft')
      await expect(seen).toHaveText(['Security and compliance'])
    },
  )

  test('the carousel moves by a swipe of more than 50 pixels', long, async ({ page }) => {
    await page.setViewportSize({ width: 500, height: 800 })
    await page.goto('/')
    const seen = carousel(page).getByRole('heading')
    await seen.scrollIntoViewIfNeeded()
    // Clicks wait for the page's scripts, a swipe does not. The theme is known once they have run.
    await expect(page.getByRole('radio', { name: 'System theme' })).toBeChecked()
    for (const [distance_px, title] of [
      [-45, 'Loops on errors'],
      [-60, 'Model Context Protocol'],
      [60, 'Loops on errors'],
    ] as const) {
      await swipe(page, distance_px)
      await expect(seen).toHaveText([title])
    }
  })
})

test('prices and the comparison follow the billing period and the currency, and so does the way to sign up', async ({
  page,
}) => {
  await page.goto('/pricing')
  const pro = page.getByRole('article', { name: 'Pro' })
  await expect(pro).toContainText('€20/ mo per user')
  await page.getByRole('radio', { name: 'Yearly' }).check()
  await expect(pro).toContainText('€16/ mo per user')
  await expect(pro).toContainText('€192 once a year')
  await page.getByRole('radio', { name: 'GBP' }).check()
  await expect(pro).toContainText('£16/ mo per user')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) })
  await expect(page.getByRole('table')).toContainText('£192 a year')
  await expect(row('Credits each month')).toHaveText('Credits each month500500 per seat')
  await expect(row('One credit pool for all seats')).toContainText('Not includedIncluded')
  await page.reload()
  await expect(page.getByRole('radio', { name: 'Yearly' })).toBeChecked()
  await expect(pro).toContainText('£192 once a year')
  await pro.getByRole('link', { name: 'Start 14-Day Free Trial' }).click()
  await expect(page).toHaveURL(/\/sign-up\?plan=pro&billing=yearly&currency=GBP$/)
})

test('prices are written as the reader writes them', german, async ({ page }) => {
  const problems = listenForProblems(page)
  await page.goto('/pricing?billing=yearly')
  await expect(page.getByRole('article', { name: 'Pro' })).toContainText('192 € once a year')
  await page.goto('/updates')
  await expect(page.getByText('26. November 2026')).toBeVisible()
  expect(problems).toEqual([])
})

test('one answer is open on the pricing page, several on the teams page', long, async ({ page }) => {
  for (const [path, stillOpen] of [
    ['/pricing', 0],
    ['/teams', 1],
  ] as const) {
    await page.goto(path)
    const faq = page.getByRole('region', { name: 'Frequently asked questions' })
    const questions = faq.locator('summary')
    const answers = faq.locator('details > p')
    await questions.nth(0).click()
    await expect(answers.nth(0)).toBeVisible()
    await questions.nth(1).press('Enter')
    await expect(answers.nth(1)).toBeVisible()
    await expect(answers.nth(0).locator('visible=true')).toHaveCount(stillOpen)
    await questions.nth(1).press('Enter')
    await expect(answers.nth(1)).toBeHidden()
  }
})

test('a signed-in user finds the way back to the dashboard, and the menu of the account', async ({
  page,
}) => {
  await signUp(page)
  await page.getByRole('link', { name: 'View plans' }).click()
  await expect(page).toHaveURL(/\/pricing$/)
  await expect(page.getByRole('article', { name: 'Pro' }).getByRole('link')).toHaveAttribute(
    'href',
    '/auth/post-signup?plan=pro&billing=monthly&currency=EUR',
  )
  await page.goBack()
  await page.getByRole('link', { name: /home$/ }).click()
  await expect(page.getByRole('main').getByRole('link', { name: 'Go to Dashboard' }).first()).toBeVisible()
  const bar = page.getByRole('banner')
  await expect(bar.getByRole('link', { name: 'Sign in' })).toHaveCount(0)
  await bar.getByRole('button', { name: /user/i }).click()
  await page.getByRole('button', { name: /sign out/i }).click()
  await expect(bar.getByRole('link', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Get Started' }).first()).toHaveAttribute(
    'href',
    '/sign-up',
  )
})

/** Its headings are compared as a list: for the length of a transition the card that leaves is seen too. */
const carousel = (page: Page) =>
  page.getByRole('region', { name: 'The possibilities are literally endless' }).last()

async function swipe(page: Page, distance_px: number): Promise<void> {
  const box = await carousel(page).getByRole('listitem').boundingBox()
  if (!box) throw new Error('The carousel shows no card')
  const y = box.y + box.height / 2
  const x = box.x + box.width / 2
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + distance_px, y, { steps: 5 })
  await page.mouse.up()
}
