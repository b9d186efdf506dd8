import { createHash, randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { cards, payByCard } from './support/checkout-page.ts'
import { newCustomer, subscribe } from './support/customers.ts'
import { type Gateway, startGateway } from './support/gateway.ts'
import { addMember } from './support/organizations.ts'
import { arrive } from './support/people.ts'
import {
  breakTable,
  failCallsAbout,
  findUserId,
  openSandboxClerk,
  repairTables,
  turnStripeKnob,
} from './support/product.ts'
import { expect, long, longAndAlone, test } from './support/test.ts'

const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const toasts = (page: Page) => region(page, /Notifications/)
const pathOf = (page: Page) => page.url().replace(new URL(page.url()).origin, '')

test(
  'a foreign answer is shown as an error that names its cause, and the next try works',
  long,
  async ({ page, baseURL }) => {
    const customer = await newCustomer(page.request, baseURL)
    await subscribe(customer, 'pro')
    const gateway = await startGateway(baseURL ?? '')
    await walkDashboard(page, gateway)
    await walkSetup(page, gateway)
    await walkEditor(page, gateway)
    await walkOlderEditor(page, gateway, customer.email)
    gateway.close()
  },
)

async function walkDashboard(page: Page, gateway: Gateway): Promise<void> {
  gateway.fail('/api/account/summary', 'no_credentials')
  gateway.fail('/api/extension-token/active', 'foreign_page')
  await page.goto(`${gateway.url}/dashboard`)
  const account = page.getByRole('alert').filter({ hasText: 'Authentication Error' })
  await expect(account).toContainText('User not authenticated')
  const token = region(page, 'Extension token')
  await expect(token.getByRole('alert')).toContainText('An unexpected error occurred')
  gateway.fail('/api/account/summary', 'none')
  gateway.fail('/api/extension-token/active', 'none')
  await account.getByRole('button', { name: 'Try again' }).click()
  await expect(toasts(page)).toContainText('Data Loaded')
  await token.getByRole('button', { name: 'Try again' }).click()

  gateway.fail('/api/extension-token/generate', 'foreign_page')
  await token.getByRole('button', { name: 'Generate Long-Lived Token' }).click()
  await expect(toasts(page)).toContainText('No access token in response')

  const buy = page.getByRole('button', { name: 'Add Credits' })
  await page.getByLabel('Number of credits').fill('500')
  gateway.fail('/api/billing/credit-purchase', 'bad_gateway')
  await buy.click()
  await expect(toasts(page)).toContainText('Failed to process credit addition Nothing was charged.')
  gateway.fail('/api/billing/credit-purchase', 'foreign_page')
  await buy.click()
  await expect(toasts(page)).toContainText('No checkout URL received Nothing was charged.')

  const portal = region(page, 'Current Plan').getByRole('button', { name: 'Manage billing' })
  gateway.fail('/api/stripe/create-customer-portal-session', 'bad_gateway')
  await portal.click()
  await expect(toasts(page)).toContainText('Billing Portal Error')
  await expect(toasts(page)).toContainText('An unexpected error occurred. Please try again later.')
  gateway.fail('/api/stripe/create-customer-portal-session', 'no_credentials')
  await portal.click()
  await expect(toasts(page)).toContainText('Authentication Required')
  await expect(toasts(page)).toContainText('Please sign in to access billing information')
  gateway.fail('/api/stripe/create-customer-portal-session', 'none')
  await portal.click()
  await page.waitForURL(/\/p\/session\//)
}

async function walkSetup(page: Page, gateway: Gateway): Promise<void> {
  gateway.fail('/api/starter', 'foreign_page')
  await page.goto(`${gateway.url}/auth/post-signup?plan=starter`)
  await expect(page.getByText('Failed to process starter plan signup')).toBeVisible()
  gateway.fail('/api/starter', 'none')
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { name: 'You’re all set!' })).toBeVisible()
}

async function walkEditor(page: Page, gateway: Gateway): Promise<void> {
  const state = randomBytes(16).toString('base64url')
  const code_challenge = createHash('sha256').update(state).digest('base64url')
  const vscode_redirect_uri = 'http://127.0.0.1:9/callback'
  const asked = new URLSearchParams({ vscode_redirect_uri, code_challenge, state })
  gateway.fail('/api/auth/initiate-vscode-auth', 'bad_gateway')
  await page.goto(`${gateway.url}/auth/vscode-initiate?${asked}`)
  await expect(page.getByText('Failed to initiate authentication flow.')).toBeVisible()
  gateway.fail('/api/auth/initiate-vscode-auth', 'no_answer')
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(
    page.getByText('Network error or server issue during authentication initiation.'),
  ).toBeVisible()
  gateway.fail('/api/auth/initiate-vscode-auth', 'none')
  await page.getByRole('button', { name: 'Try Again' }).click()
  await page.waitForURL('**/auth/vscode-callback?**')
  gateway.fail('/api/auth/update-auth-code', 'foreign_page')
  await page.goto(gateway.url + pathOf(page))
  await page.getByRole('button', { name: 'Connect editor' }).click()
  await expect(page.getByText('Authentication failed: Authentication failed')).toBeVisible()
}

async function walkOlderEditor(page: Page, gateway: Gateway, email: string): Promise<void> {
  const agree = page.getByRole('button', { name: 'Connect editor' })
  const again = page.getByRole('button', { name: 'Try Again' })
  const state = randomBytes(16).toString('base64url')
  const asked = new URLSearchParams({ state, redirect_uri: 'http://127.0.0.1:9/callback' })
  await page.goto(`${gateway.url}/extension-signin?${asked}`)
  gateway.fail('/api/auth/complete-vscode-auth', 'bad_gateway')
  await agree.click()
  await expect(page.getByText('Authentication failed', { exact: true })).toBeVisible()
  gateway.fail('/api/auth/complete-vscode-auth', 'no_answer')
  await again.click()
  await agree.click()
  await expect(page.getByText('Failed to complete authentication. Please try again.')).toBeVisible()
  gateway.fail('/api/auth/complete-vscode-auth', 'none')
  await again.click()
  await expect(agree).toBeVisible()
  await failCallsAbout(email, 1)
  await agree.click()
  await expect(page.getByText('Failed to complete authentication', { exact: true })).toBeVisible()
}

test(
  'each page says what it could not do while tables cannot be read or written, and nothing is lost',
  longAndAlone,
  async ({ page, baseURL }) => {
    const gateway = await startGateway(baseURL ?? '')
    const { email } = await arrive(page.request)
    await breakTable('users', 'writes')
    await page.goto('/dashboard')
    const missing = page.getByRole('alert').filter({ hasText: 'Initialization Error' })
    await expect(missing).toContainText('An unexpected error occurred. Please try again later.')
    await repairTables()
    await missing.getByRole('button', { name: 'Try again' }).click()
    await expect(toasts(page)).toContainText('Account Created')
    await breakTable('users', 'reads')
    await page.reload()
    const failure = page.getByRole('alert').filter({ hasText: 'Database Error' })
    await expect(failure).toContainText('An unexpected error occurred. Please try again later.')
    await expect(failure).toContainText('Your payments and credits are not affected.')
    await repairTables()
    await failure.getByRole('button', { name: 'Try again' }).click()
    await expect(toasts(page)).toContainText('Data Loaded')

    await page.getByLabel('Number of credits').fill('500')
    const order = { path_prefix: '/v1/checkout/sessions', method: 'POST' }
    await turnStripeKnob('faults', { without: ['url'], count: 1, ...order })
    await page.getByRole('button', { name: 'Add Credits' }).click()
    await expect(toasts(page)).toContainText('No checkout URL received Nothing was charged.')

    await page.goto('/auth/post-signup?plan=teams&billing=monthly&currency=EUR&seats=4')
    await page.waitForURL(/\/c\/pay\//)
    await breakTable('checkout_intents', 'writes')
    await payByCard(page, cards.pays, 'Subscribe')
    await page.waitForURL('**/payment/success**')
    const paid = gateway.url + pathOf(page)
    gateway.fail('/api/stripe/process-payment-success', 'foreign_page')
    await page.goto(paid)
    await expect(page.getByRole('status').filter({ hasText: 'Failed to process payment' })).toContainText(
      'you do not need to pay again',
    )
    gateway.fail('/api/stripe/session-status', 'foreign_page')
    await page.goto(paid)
    await expect(page.getByRole('heading', { name: 'Verification Error' })).toBeVisible()
    await expect(page.getByText('Failed to verify payment status')).toBeVisible()
    await repairTables()
    gateway.fail('/api/stripe/process-payment-success', 'none')
    gateway.fail('/api/stripe/session-status', 'none')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible({ timeout: 60_000 })

    await walkInvitations(page, gateway)
    await walkOrganization(page, gateway, email)
    await page.goto(paid)
    await walkLostOrganization(page, email)
    gateway.close()
  },
)

const manager = (page: Page) => region(page, 'Invite your team')

async function invite(page: Page, email: string): Promise<void> {
  await manager(page).getByLabel('Email address').fill(email)
  await manager(page).getByRole('button', { name: 'Send Invite' }).click()
}

async function walkInvitations(page: Page, gateway: Gateway): Promise<void> {
  gateway.fail('/api/team-invitations', 'foreign_page')
  await page.getByRole('button', { name: 'Invite Team Members' }).click()
  await expect(manager(page).getByRole('alert')).toContainText('Failed to load invitations')
  gateway.fail('/api/team-invitations', 'none')
  await manager(page).getByRole('button', { name: 'Try again' }).click()
  await invite(page, 'bob@tidemark.test')
  await expect(manager(page)).toContainText('Invitation sent to bob@tidemark.test')
  await breakTable('team_invitations', 'writes')
  await invite(page, 'eve@tidemark.test')
  await expect(manager(page)).toContainText('Failed to store invitation in database')
  await manager(page).getByRole('button', { name: 'Revoke the invitation to bob' }).click()
  await expect(manager(page)).toContainText('Failed to update invitation status in database')
  await repairTables()
  await invite(page, 'eve@tidemark.test')
  await expect(manager(page)).toContainText('Invitation sent to eve@tidemark.test')
}

async function walkOrganization(page: Page, gateway: Gateway, email: string): Promise<void> {
  await page.goto(`${gateway.url}/organizations`)
  // The page of the payment has selected it.
  await expect(page.getByRole('heading', { level: 1, name: /team/i })).toBeVisible()
  const tab = (name: string) => page.getByRole('tab', { name })

  await tab('Seat Management').click()
  gateway.fail('/api/organizations/seats/', 'foreign_page')
  await page.getByRole('button', { name: 'Assign Seat' }).click()
  const assign = page.getByRole('dialog', { name: 'Assign Seat' })
  await assign.getByLabel('Email of the person').fill('eve@tidemark.test')
  await assign.getByRole('button', { name: 'Assign Seat' }).click()
  await expect(toasts(page)).toContainText('Failed to assign seat')
  await page.keyboard.press('Escape')
  const seat = region(page, 'People').getByRole('row').filter({ hasText: email })
  await seat.getByRole('button', { name: /^Revoke the seat/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke seat' }).click()
  await expect(toasts(page)).toContainText('Failed to revoke seat')

  gateway.fail('/api/organizations/people', 'foreign_page')
  gateway.fail('/api/organizations/credits', 'foreign_page')
  await page.goto(`${gateway.url}/organizations?tab=seats`)
  await expect(page.getByRole('alert')).toContainText(['Failed to load members'])
  await tab('Billing').click()
  await expect(page.getByRole('alert')).toContainText(['Failed to load organization credits'])

  gateway.fail('/api/organizations/s', 'foreign_page')
  await page.goto(`${gateway.url}/organizations?tab=seats`)
  await expect(page.getByRole('alert')).toContainText(['Failed to load seat information'])
  await tab('Billing').click()
  await expect(page.getByRole('alert')).toContainText(['Failed to load billing information'])
}

/** Another person takes the organization over while the page is open. */
async function walkLostOrganization(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Invite Team Members' }).click()
  await expect(manager(page)).toContainText('eve@tidemark.test')
  const clerk = openSandboxClerk()
  const userId = await findUserId(email)
  const [membership] = (await clerk.users.getOrganizationMembershipList({ userId })).data
  const organizationId = membership?.organization.id ?? ''
  await addMember(organizationId, { email: 'demo@tidemark.test' }, 'org:admin')
  await clerk.organizations.deleteOrganizationMembership({ organizationId, userId })
  await manager(page).getByRole('button', { name: 'Revoke the invitation to eve' }).click()
  await expect(manager(page)).toContainText('Invitation not found in database')
  await invite(page, 'dan@tidemark.test')
  await expect(manager(page)).toContainText('Organization not initialized')
}
