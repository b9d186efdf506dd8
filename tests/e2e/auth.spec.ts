import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { startGateway } from './support/gateway.ts'
import { arrive, signIn, signUp } from './support/people.ts'
import { listenForProblems } from './support/problems.ts'
import { compromisePassword, failCallsAbout } from './support/product.ts'
import { alsoOnPhones, expect, long, test } from './support/test.ts'

const plan = (page: Page) => page.getByRole('region', { name: 'Your plan' })
const heading = (page: Page, name: string) => page.getByRole('heading', { name })

test(
  'sign-up says what a plan will cost, links the terms, and refuses what cannot be bought before there is an account',
  alsoOnPhones,
  async ({ page }) => {
    const errors = listenForProblems(page)
    await page.goto('/sign-up?plan=teams&seats=101&billing=yearly')
    await expect(heading(page, 'Seats must be a whole number from 1 to 100')).toBeVisible()
    await expect(page.getByText('No account has been created and nothing has been charged.')).toBeVisible()
    await expect(page.getByLabel('Email address')).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Continue with 100 seats' }).click()
    await expect(plan(page)).toContainText('Teams, 100 seats, €28,800.00 a year')
    await expect(page.getByLabel('Email address')).toBeVisible()

    await page.goto('/sign-up?plan=enterprise')
    await expect(heading(page, 'There is no such plan')).toBeVisible()
    await page.goto('/sign-in?plan=pro&seats=3&currency=USD')
    await expect(heading(page, 'Pro is for one person')).toBeVisible()
    await page.getByRole('link', { name: 'Continue with Pro' }).click()
    await expect(plan(page)).toContainText('Pro, 14 days free if it is your first, then $20.00 a month')
    await page.getByRole('link', { name: 'Sign up' }).click()
    await expect(plan(page)).toContainText('Pro, 14 days free, then $20.00 a month')
    await page.goto('/sign-up?plan=starter')
    await expect(plan(page)).toContainText('Starter, free')
    await page.goto('/sign-up')
    await expect(page.getByLabel('Email address')).toBeVisible()
    await expect(plan(page)).toHaveCount(0)
    const note = page.getByText(/^By creating an account, you agree/)
    await expect(note.getByRole('link', { name: 'terms of service' })).toHaveAttribute('href', '/terms')
    await expect(note.getByRole('link', { name: 'privacy policy' })).toHaveAttribute('href', '/privacy')
    expect(errors).toEqual([])
  },
)

test('a visitor of a page for signed-in users is asked to sign in, with the way back in the address', async ({
  page,
}) => {
  for (const address of [
    '/profile',
    '/organizations?tab=seats',
    '/teams/start?seats=3',
    '/invite/org_1/orginv_1',
  ]) {
    await page.goto(address)
    await expect(page).toHaveURL(
      (url) => url.pathname === '/sign-in' && url.search.startsWith('?redirect_url='),
    )
    expect(new URL(page.url()).searchParams.get('redirect_url')).toBe(address)
  }
})

test('a signed-in user is redirected to a page of ours and to no other', async ({ page }) => {
  await signUp(page)
  const errors = listenForProblems(page)
  await page.goto('/sign-in?redirect_url=%2Forganizations%3Ftab%3Dsettings')
  await expect(page).toHaveURL(/\/organizations\?tab=settings$/)
  await page.goto('/sign-in?redirect_url=https%3A%2F%2Fevil.example')
  await expect(page).toHaveURL(/\/dashboard$/)
  await page.goto('/sign-up?redirect_url=%2Forganizations')
  await expect(heading(page, 'You’re all set!')).toBeVisible()
  await expect(page).toHaveURL(/\/organizations$/)
  await page.goto('/auth/post-signup')
  await expect(page).toHaveURL(/\/dashboard$/)
  expect(errors).toEqual([])
})

test(
  'a user whose password was found elsewhere is led to another one, and then to the page they asked for',
  long,
  async ({ page, request }) => {
    const person = await arrive(request)
    await compromisePassword(person)
    await signIn(page.request, person)
    const errors = listenForProblems(page)
    await page.goto('/billing?tab=usage')
    await expect(page.getByLabel('New password')).toBeVisible()
    await expect(page).toHaveURL(/\/sign-in\/tasks\/reset-password/)
    await expect(page.getByText('Authentication Error')).toHaveCount(0)
    await page.getByLabel('New password').fill(`${person.password}-2`)
    await page.getByLabel('Confirm password').fill(`${person.password}-2`)
    await page.getByRole('button', { name: 'Reset Password' }).click()
    await expect(page).toHaveURL(/\/billing\?tab=usage$/)
    await expect(heading(page, 'Billing & Payments')).toBeVisible()
    expect(errors).toEqual([])
  },
)

test('an account that could not be set up says so, and is set up by the next try', long, async ({ page }) => {
  const { email } = await arrive(page.request)
  // As often as the page tries by itself.
  await failCallsAbout(email, 4)
  await page.goto('/auth/post-signup?plan=starter')
  await expect(heading(page, 'Setting up your account...')).toBeVisible()
  await expect(heading(page, 'Something went wrong')).toBeVisible()
  await expect(page.getByText('We encountered an error while setting up your account.')).toBeVisible()
  await expect(page.getByText('Failed to process starter signup')).toBeVisible()
  await expect(page.getByText('You have not been charged.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Go to Dashboard' })).toBeVisible()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(heading(page, 'You’re all set!')).toBeVisible()
  await page.waitForURL('**/dashboard')
})

test(
  'a page that was opened before a release is reloaded once, and code that stays missing is an error',
  long,
  async ({ page, baseURL }) => {
    const gateway = await startGateway(baseURL ?? '')
    await page.goto(`${gateway.url}/sign-in`)
    await expect(page.getByLabel('Email address')).toBeVisible()
    gateway.lose(/SignUpPage/, 0)
    await page.getByRole('link', { name: 'Sign up' }).click()
    await expect(heading(page, 'Create your account')).toBeVisible()
    await expect(page).toHaveURL(`${gateway.url}/sign-up`)
    expect(gateway.documents()).toBe(1)

    const other = await page.context().newPage()
    gateway.lose(/PaymentCancelledPage/, Number.POSITIVE_INFINITY)
    await other.goto(`${gateway.url}/payment/cancelled`)
    await expect(heading(other, 'Unexpected Application Error!')).toBeVisible()
    await expect(other.getByText('Your payments and credits are not affected')).toBeVisible()
    await expect(other.getByRole('link', { name: 'Go to Home' })).toHaveAttribute('href', '/')
    expect(gateway.documents()).toBe(2)
    gateway.lose(/$^/, 0)
    await other.getByRole('button', { name: 'Refresh Page' }).click()
    await expect(heading(other, 'Payment Cancelled')).toBeVisible()

    const marketing = await page.context().newPage()
    gateway.lose(/PricingPage/, 1)
    await marketing.goto(`${gateway.url}/pricing`)
    await expect.poll(() => gateway.documents()).toBe(2)
    await marketing.getByText('Yearly').click()
    await expect(marketing).toHaveURL(/billing=yearly/)
    gateway.close()
  },
)

test(
  'the page says after 15 seconds that the sign-in service cannot be loaded',
  long,
  async ({ page, baseURL }) => {
    const gateway = await startGateway(baseURL ?? '')
    // Of the forms, too, which the browser would otherwise have kept for what follows.
    gateway.lose(/^\/__clerk\/npm\/@clerk\//, 1)
    await page.clock.install()
    await Promise.all([page.waitForRequest(/\/__clerk\/npm\//), page.goto(`${gateway.url}/sign-in`)])
    await expect(heading(page, 'Authentication Error')).toBeHidden()
    await page.clock.fastForward(16_000)
    await expect(heading(page, 'Authentication Error')).toBeVisible()
    await expect(
      page.getByText(
        'Something went wrong with the authentication system. Please try refreshing the page or contact support if the problem persists.',
      ),
    ).toBeVisible()
    await expect(page.getByRole('link', { name: 'Go to Home' })).toHaveAttribute('href', '/')
    // Without its forms a visitor cannot sign in either.
    gateway.lose(/^\/__clerk\/npm\/@clerk\/ui/, 1)
    await Promise.all([
      page.waitForRequest(/\/npm\/@clerk\/ui/),
      page.getByRole('button', { name: 'Refresh Page' }).click(),
    ])
    await expect(heading(page, 'Authentication Error')).toBeVisible()
    await page.getByRole('button', { name: 'Refresh Page' }).click()
    await expect(page.getByLabel('Email address')).toBeVisible()
    gateway.close()
  },
)
