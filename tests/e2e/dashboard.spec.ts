import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { chooseOrganization } from './support/account-switcher.ts'
import { cards, payByCard } from './support/checkout-page.ts'
import { startCounting } from './support/clicks.ts'
import { newCustomer, subscribe } from './support/customers.ts'
import { createOrganization, joinAsMember } from './support/organizations.ts'
import { arrive, signUp } from './support/people.ts'
import {
  clearFaults,
  findUserId,
  openSandboxClerk,
  openSandboxStripe,
  turnClerkKnob,
  turnStripeKnob,
} from './support/product.ts'
import { alsoOnPhones, expect, long, longAndAlone, longAndOnPhones, test } from './support/test.ts'

const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const toasts = (page: Page) => region(page, /Notifications/)

test(
  'a person without a plan buys Pro from the sidebar, at its price, and is not asked again',
  alsoOnPhones,
  async ({ page, isMobile }) => {
    await signUp(page)
    const card = region(page, 'Upgrade to Pro')
    for (const path of ['/organizations', '/billing', '/dashboard']) {
      await page.goto(path)
      if (isMobile) await page.getByRole('button', { name: 'Toggle sidebar' }).click()
      await expect(card).toContainText('500 credits every month for €20.')
    }
    await card.getByRole('link', { name: 'Upgrade Now' }).click()
    await payByCard(page, cards.pays, 'Start trial')
    await page.waitForURL('**/payment/success**')
    await page.getByRole('link', { name: 'Go to Dashboard' }).click()
    await expect(region(page, 'Current Plan').getByText('Pro', { exact: true })).toBeVisible()
    if (isMobile) await page.getByRole('button', { name: 'Toggle sidebar' }).click()
    await expect(page.getByRole('link', { name: 'Contact Support' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Docs' })).toHaveAttribute('href', '/docs')
    await expect(card).toHaveCount(0)
  },
)

test(
  'a new account connects an editor by a token that is shown once, and revokes it',
  longAndAlone,
  async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signUp(page)
    await expect(region(page, 'Get started').getByRole('link', { name: 'Connect your editor' })).toBeVisible()
    await expect(region(page, 'Available Credits')).toContainText('You have no credits yet')
    await expect(page.getByText('Low balance')).toBeHidden()

    const card = region(page, 'Extension token')
    await card.getByRole('button', { name: 'Generate Long-Lived Token' }).click()
    await expect(toasts(page)).toContainText('Token Generated')
    const secret = card.getByText(/^tide_/)
    await card.getByRole('button', { name: 'Copy' }).click()
    await expect(card.getByRole('button', { name: 'Copied' })).toBeVisible()
    await expect(card.getByRole('button', { name: 'Copy', exact: true })).toBeVisible()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(await secret.textContent())
    await expect(region(page, 'Get started')).toContainText('Connect your editor: done')

    await page.reload()
    await expect(card).toContainText('Last usedNot yet')
    await expect(secret).toBeHidden()
    await card.getByRole('button', { name: 'Revoke Active Long-Lived Token' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Revoke the token?' })
    await expect(dialog).toContainText(
      'This will revoke your active long-lived extension token. You will need to generate a new one to continue using the VSCode extension. Continue?',
    )
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    await expect(card).toContainText('Active')

    await context.setOffline(true)
    await card.getByRole('button', { name: 'Revoke Active Long-Lived Token' }).click()
    await dialog.getByRole('button', { name: 'Revoke token' }).click()
    await expect(toasts(page)).toContainText('Revocation Failed')
    await expect(toasts(page)).toContainText('Failed to revoke token')
    await context.setOffline(false)
    await card.getByRole('button', { name: 'Revoke Active Long-Lived Token' }).click()
    await dialog.getByRole('button', { name: 'Revoke token' }).click()
    await expect(toasts(page)).toContainText('Token Revoked')
    await expect(card.getByRole('button', { name: 'Generate Long-Lived Token' })).toBeVisible()

    await turnClerkKnob('faults', { status: 500, count: 20, path_prefix: '/bapi/v1/users' })
    await card.getByRole('button', { name: 'Generate Long-Lived Token' }).click()
    await expect(toasts(page)).toContainText('Token Generation Failed')
    await expect(toasts(page)).toContainText('Failed to generate long-lived token')
  },
)

test(
  'a first visit without an account makes one, also when that fails at first',
  longAndAlone,
  async ({ page }) => {
    const email = `grace.${Date.now()}@tidemark.test`
    const password = 'tidal-harbour-of-grace'
    await openSandboxClerk().users.createUser({ emailAddress: [email], password })
    await page.goto('/dashboard')
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await turnClerkKnob('faults', { status: 500, count: 50, path_prefix: '/bapi/v1/users', method: 'GET' })
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    const failure = page.getByRole('alert').filter({ hasText: 'User Creation Failed' })
    await expect(failure).toContainText('Failed to initialize user')
    await clearFaults()
    await failure.getByRole('button', { name: 'Try again' }).click()
    await expect(toasts(page)).toContainText('Account Created')
    await expect(toasts(page)).toContainText('Data Loaded')
    await expect(region(page, 'Current Plan')).toContainText('Starter')
  },
)

test(
  'a plan shows its trial, the next payment and the card, and the way back when it is cancelled',
  longAndAlone,
  async ({ page, baseURL }) => {
    await subscribe(await newCustomer(page.request, baseURL), 'pro')
    await page.goto('/dashboard')
    const plan = region(page, 'Current Plan')
    await expect(plan).toContainText('Free trial')
    await expect(plan).toContainText(/First payment€20\.00 on \w+ \d+, \d+/)
    await expect(plan).not.toContainText('Trial ends')
    await expect(plan).toContainText(/Visa •••• 4242, 12\/\d\d/)

    await turnStripeKnob('faults', { status: 500, count: 20, path_prefix: '/v1/billing_portal' })
    await plan.getByRole('button', { name: 'Manage billing' }).click()
    await expect(toasts(page)).toContainText('Billing Portal Error')
    await expect(toasts(page)).toContainText('Failed to access billing portal. Please try again.')
    await clearFaults()

    await plan.getByRole('button', { name: 'Manage billing' }).click()
    await page.getByRole('link', { name: 'Cancel plan' }).click()
    await page.getByRole('button', { name: 'Cancel plan' }).click()
    await page.waitForURL('**/overview**')
    await expect(async () => {
      await page.goto('/dashboard')
      await expect(region(page, 'Notices')).toContainText(/Pro ends on/, { timeout: 3000 })
    }).toPass()
    await expect(plan).toContainText('Next paymentNone')
    const ending = await region(page, 'Notices').boundingBox()
    const steps = await region(page, 'Get started').boundingBox()
    expect(steps?.y).toBeGreaterThan(ending?.y ?? Number.POSITIVE_INFINITY)
    const bell = page.getByRole('button', { name: 'Notifications: 1' })
    await bell.click()
    const panel = page.getByRole('dialog', { name: 'Notifications' })
    await expect(panel).toContainText('Nothing more will be charged.')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(panel).toBeHidden()
    await region(page, 'Notices').getByRole('button', { name: 'Resume plan' }).click()
    await page.waitForURL(/\/p\/session\//)
  },
)

test(
  'a card that is given after a declined payment is named with the day it is charged, and pays at once',
  alsoOnPhones,
  async ({ page, baseURL }) => {
    const customer = await newCustomer(page.request, baseURL)
    const id = await subscribe(customer, 'pro')
    await turnStripeKnob(`subscriptions/${id}/card`, { card: cards.paysOnce.replaceAll(' ', '') })
    await openSandboxStripe().subscriptions.update(id, { trial_end: 'now' })
    const notices = region(page, 'Notices')
    await showsAfterReloads(page, notices.getByText(/^€20\.00 for Pro was declined on \w+ \d+, \d+$/))
    await expect(page.getByLabel('Number of credits')).toBeVisible()
    await expect(page.getByRole('main')).not.toContainText('You confirm with')
    const counted = await startCounting(page.context())
    await notices.getByRole('button', { name: 'Update card' }).click()
    await payByCard(page, cards.pays, /^(Add|Save|Update)/)
    await page.waitForURL('**/billing')
    await expect(notices).toContainText(/Visa •••• 4242 is charged on \w+ \d+, \d+\./)
    await expect(region(page, 'Next Payment')).toContainText('Visa •••• 4242')
    await notices.getByRole('button', { name: 'Pay now with Visa •••• 4242' }).click()
    await expect(page.getByText('Payment received')).toBeVisible()
    await expect(notices).toBeHidden()
    expect(counted.clicks).toBeLessThanOrEqual(3)
    await expect(region(page, 'Next Payment')).not.toContainText('Past Due')
  },
)

test(
  'the dashboard of a chosen organization shows its pool: an admin buys, a member sees',
  alsoOnPhones,
  async ({ page, browser }) => {
    const { id, name } = await createOrganization(await signUp(page))
    const anonymous: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname === '/api/account/summary' && !request.headers().authorization) anonymous.push(pathname)
    })
    await choose(page, name)
    expect(anonymous, 'calls while Clerk has no token').toEqual([])
    await expect(page.getByText(`You are viewing ${name}.`)).toBeVisible()
    await expect(region(page, 'Available Credits')).toContainText('Your organization has no credits yet')
    await expect(region(page, 'Current Plan').getByRole('link', { name: 'Set up billing' })).toBeVisible()
    await expect(page.getByRole('main').getByRole('link', { name: 'Add credits' })).toHaveCount(1)
    await expectAccessible(page)

    await page.getByLabel('Number of credits').fill('70')
    await page.keyboard.press('Enter')
    await expect(toasts(page)).toContainText('Invalid Amount')
    await expect(toasts(page)).toContainText('Please enter a valid number of credits.')
    await page.getByLabel('Number of credits').fill('500')
    await page.keyboard.press('Enter')
    await payByCard(page, cards.pays)
    await expect(page.getByText('+500')).toBeVisible()
    await page.goto('/dashboard')
    await expect(region(page, 'Available Credits').getByText('500', { exact: true }).first()).toBeVisible()

    const memberPage = await (await browser.newContext()).newPage()
    await joinAsMember(memberPage, id)
    await choose(memberPage, name)
    await expect(region(memberPage, 'Available Credits')).toContainText('500')
    const steps = region(memberPage, 'Get started')
    await expect(steps.getByRole('link', { name: 'Connect your editor' })).toBeVisible()
    await expect(steps.getByRole('link', { name: 'Add credits' })).toHaveCount(0)
    await expect(region(memberPage, 'Add Credits')).toBeHidden()
    await expect(region(memberPage, 'Recent activity')).toBeHidden()
    await expect(memberPage.getByRole('button', { name: 'Manage billing' })).toBeHidden()
    await memberPage.context().close()
  },
)

test('the dashboard is there after few requests, with a sidebar that a key toggles and menus that open', async ({
  page,
}) => {
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await signUp(page)
  await expect(region(page, 'Available Credits')).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(requested.length, requested.join('\n')).toBeLessThanOrEqual(40)
  await page.getByRole('button', { name: 'Open user menu' }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeHidden()
  await page.getByRole('button', { name: 'Open organization switcher' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Create organization' })).toBeVisible()
  await page.keyboard.press('Escape')

  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  const width = async () => (await sidebar.boundingBox())?.width
  await expect.poll(width).toBe(256)
  await page.keyboard.press('Control+b')
  await expect.poll(width).toBe(48)
  await page.reload()
  await expect.poll(width).toBe(48)
  await expect(sidebar.getByRole('link', { name: 'Billing' })).toHaveAttribute('href', '/billing')
  await page.keyboard.press('Control+b')
  await expect(sidebar.getByRole('link', { name: 'Organizations' })).toBeVisible()

  await page.setViewportSize({ width: 320, height: 700 })
  await expect(sidebar).toBeHidden()
  await page.getByRole('button', { name: 'Toggle sidebar' }).click()
  const sheet = page.getByRole('dialog', { name: 'Navigation' })
  await expect(sheet.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('aria-current', 'page')
  await expect.poll(async () => (await sheet.boundingBox())?.width).toBe(288)
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
})

test('a tooltip opens after 700 ms, and at once within 300 ms after another', long, async ({ page }) => {
  await page.clock.install()
  await signUp(page)
  await expect(region(page, 'Available Credits')).toBeVisible()
  await page.keyboard.press('Control+b')
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  const tooltip = page.getByRole('tooltip')
  const hover = (name: string) => sidebar.getByRole('link', { name }).hover()
  await hover('Billing')
  await expect(tooltip).toContainText('Billing')
  await page.mouse.move(600, 600)
  await expect(tooltip).toBeHidden()

  await page.clock.pauseAt(Date.now() + 60_000)
  await hover('Billing')
  await page.clock.runFor(699)
  await expect(tooltip).toBeHidden()
  await page.clock.runFor(1)
  await expect(tooltip).toContainText('Billing')
  await page.mouse.move(600, 600)
  await expect(tooltip).toBeHidden()
  await page.clock.runFor(299)
  await hover('Dashboard')
  await page.clock.runFor(0)
  await expect(tooltip).toContainText('Dashboard')
  await page.mouse.move(600, 600)
  await expect(tooltip).toBeHidden()
  await page.clock.runFor(300)
  await hover('Billing')
  await page.clock.runFor(699)
  await expect(tooltip).toBeHidden()
})

test(
  'without a connection the shell stays, and the page comes when there is one again',
  longAndOnPhones,
  async ({ page, context }) => {
    await signUp(page)
    await expect(region(page, 'Available Credits')).toBeVisible()
    const isNarrow = (page.viewportSize()?.width ?? 0) < 768
    await context.setOffline(true)
    if (isNarrow) await page.getByRole('button', { name: 'Toggle sidebar' }).click()
    await page.getByRole('link', { name: 'Billing', exact: true }).click()
    const failure = page.getByRole('heading', { name: 'This page could not be loaded' })
    await expect(failure).toBeVisible()
    await expect(page.getByRole('button', { name: 'Toggle sidebar' })).toBeVisible()
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(failure).toBeVisible()
    await context.setOffline(false)
    await expect(page.getByRole('heading', { name: 'Billing & Payments' })).toBeVisible()

    await page.goto('/dashboard')
    await expect(region(page, 'Current Plan')).toBeVisible()
    await context.setOffline(true)
    await region(page, 'Current Plan').getByRole('link', { name: 'View plans' }).click()
    await expect(failure).toBeVisible()
    await context.setOffline(false)
    await expect(page.getByRole('table')).toContainText('Add credits at any time')
  },
)

async function showsAfterReloads(page: Page, shown: Locator): Promise<void> {
  await expect(async () => {
    await page.goto('/dashboard')
    await expect(shown).toBeVisible({ timeout: 3000 })
  }).toPass({ timeout: 120_000 })
}

async function choose(page: Page, organization: string): Promise<void> {
  await chooseOrganization(page, '/dashboard', organization)
  await expect(page.getByText(`You are viewing ${organization}.`)).toBeVisible()
}

test(
  'the dashboard shows its frame and a person’s last known credits before Clerk’s script is there, and never another person’s',
  alsoOnPhones,
  async ({ page, baseURL }) => {
    const last = region(page, 'Last known credits')
    const current = region(page, 'Available Credits')
    const kept = () => page.evaluate<string | null>('localStorage.getItem("kept-for-person")')
    /** Loads the dashboard, of which Clerk's script arrives when the answer is called. */
    const openWithoutClerk = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route(/clerk\.browser\.js/, async (route) => {
        await promise
        await route.continue()
      })
      await page.goto('/dashboard', { waitUntil: 'commit' })
      await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
      await expect(page.getByRole('button', { name: 'Toggle sidebar' })).toBeVisible()
      await expect(current).toBeHidden()
      return async () => {
        resolve()
        await page.unrouteAll({ behavior: 'wait' })
      }
    }

    const ada = await newCustomer(page.request, baseURL)
    await ada.buy(500)
    await page.goto('/dashboard')
    await expect(current).toContainText('500 credits')
    await ada.spend(40)
    const arriveForAda = await openWithoutClerk()
    await expect(last).toContainText(
      /500 credits.*As of \w+ \d+, \d+, \d+:\d+.* The current balance is loading\./,
    )
    await arriveForAda()
    await expect(current).toContainText('460 credits')
    await expect(last).toBeHidden()

    // Another account of hers has figures of its own.
    const organization = { name: 'Harbour', createdBy: ada.userId }
    const { id } = await openSandboxClerk().organizations.createOrganization(organization)
    await page.goto(`/dashboard?payer=${id}`)
    await expect(current).toContainText('Your organization has no credits yet')
    const arriveForHarbour = await openWithoutClerk()
    await expect(last).toContainText('0 credits')
    await arriveForHarbour()
    await expect(current).toBeVisible()

    // Another person in the same browser, whose cookie of Clerk's script still names the one before.
    await page.request.post('/__clerk/v1/client?_method=DELETE')
    const graceId = await findUserId((await arrive(page.request)).email)
    const arriveForGrace = await openWithoutClerk()
    await expect(page.getByText('Loading your account')).toBeAttached()
    await expect(last).toBeHidden()
    await arriveForGrace()
    await expect(current).toContainText('You have no credits yet')
    expect(await kept()).toContain(graceId)
    expect(await kept()).not.toContain(ada.userId)
    const arriveAgain = await openWithoutClerk()
    await expect(last).toContainText('0 credits')
    await arriveAgain()
    await expect(current).toBeVisible()

    await page.evaluate('Clerk.signOut()')
    await page.waitForURL('/')
    expect(await kept()).toBeNull()
    const arriveForNobody = await openWithoutClerk()
    await expect(last).toBeHidden()
    await arriveForNobody()
    await page.waitForURL(/\/sign-in/)
  },
)
