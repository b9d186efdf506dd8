import { createHash, randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { newCustomer, organizationOf, subscribe } from './support/customers.ts'
import { type Gateway, startGateway } from './support/gateway.ts'
import { expect, long, test } from './support/test.ts'

const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const toasts = (page: Page) => region(page, /Notifications/)

test(
  'a foreign answer is shown as an error that names its cause, and the next try works',
  long,
  async ({ page, baseURL }) => {
    await subscribe(await newCustomer(page.request, baseURL), 'pro')
    const gateway = await startGateway(baseURL ?? '')
    await walkDashboard(page, gateway)
    await walkEditor(page, gateway)
    gateway.close()
  },
)

async function walkDashboard(page: Page, gateway: Gateway): Promise<void> {
  gateway.fail('/api/account/summary', 'no_credentials')
  gateway.fail('/api/extension-token/active', 'foreign_page')
  await page.goto(`${gateway.url}/dashboard`)
  const account = page.getByRole('alert').filter({ hasText: 'Authentication Error' })
  await expect(account).toContainText('User not authenticated')
  await expect(account).toContainText('Your payments and credits are not affected.')
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
  await page.getByLabel('Number of credits').fill('500')
  gateway.fail('/api/billing/credit-purchase', 'bad_gateway')
  await page.getByRole('button', { name: 'Add Credits' }).click()
  await expect(toasts(page)).toContainText('Failed to process credit addition Nothing was charged.')

  const portal = region(page, 'Current Plan').getByRole('button', { name: 'Manage billing' })
  gateway.fail('/api/stripe/create-customer-portal-session', 'bad_gateway')
  await portal.click()
  await expect(toasts(page)).toContainText('Billing Portal Error')
  gateway.fail('/api/stripe/create-customer-portal-session', 'none')
  await portal.click()
  await page.waitForURL(/\/p\/session\//)
}

async function walkEditor(page: Page, gateway: Gateway): Promise<void> {
  const state = randomBytes(16).toString('base64url')
  const code_challenge = createHash('sha256').update(state).digest('base64url')
  const vscode_redirect_uri = 'http://127.0.0.1:9/callback'
  const asked = new URLSearchParams({ vscode_redirect_uri, code_challenge, state })
  gateway.fail('/api/auth/initiate-vscode-auth', 'no_answer')
  await page.goto(`${gateway.url}/auth/vscode-initiate?${asked}`)
  await expect(
    page.getByText('Network error or server issue during authentication initiation.'),
  ).toBeVisible()
  gateway.fail('/api/auth/initiate-vscode-auth', 'none')
  await page.getByRole('button', { name: 'Try Again' }).click()
  await page.waitForURL('**/auth/vscode-callback?**')
}

test('each part of an organization says what it could not load', long, async ({ page, baseURL }) => {
  const gateway = await startGateway(baseURL ?? '')
  const ada = await newCustomer(page.request, baseURL)
  await subscribe(ada, 'teams', 2)
  const seats = `${gateway.url}/organizations?tab=seats&payer=${await organizationOf(ada)}`
  const [alert, billing] = [page.getByRole('alert'), page.getByRole('tab', { name: 'Billing' })]
  for (const [path, ofSeats, ofBilling] of [
    ['people', 'Failed to load members', undefined],
    ['credits', undefined, 'Failed to load organization credits'],
    ['s', 'Failed to load seat information', 'Failed to load billing information'],
  ]) {
    gateway.fail(`/api/organizations/${path}`, 'foreign_page')
    await page.goto(seats)
    if (ofSeats) await expect(alert).toContainText([ofSeats])
    await billing.click()
    if (ofBilling) await expect(alert).toContainText([ofBilling])
  }
  gateway.close()
})
