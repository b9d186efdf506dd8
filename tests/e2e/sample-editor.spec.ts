import type { BrowserContext, Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { newCustomer } from './support/customers.ts'
import { findLedgerProblems } from './support/product.ts'
import { alsoOnPhones, expect, test } from './support/test.ts'

const balance = (editor: Page) => editor.getByRole('region', { name: 'Balance' })
const latest = (editor: Page) => editor.getByRole('article').last()
const ask = (editor: Page, request: RegExp) => editor.getByRole('button', { name: request }).click()

test.afterEach(async () => {
  expect(await findLedgerProblems()).toEqual([])
})

async function openEditor(page: Page, context: BrowserContext): Promise<Page> {
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Open the sample editor' }).first().click()
  return opened
}

/** From the editor to the product's pages and back. */
async function signInEditor(editor: Page): Promise<void> {
  await editor.getByRole('button', { name: 'Sign in' }).click()
  await expect(editor.getByText('Sample editor', { exact: true })).toBeVisible()
  await editor.getByRole('button', { name: 'Connect editor' }).click()
}

test(
  'a user signs in to the sample editor, uses credits there until they are refused, and is led to more',
  alsoOnPhones,
  async ({ page, context, baseURL }) => {
    const customer = await newCustomer(page.request, baseURL)
    await customer.buy(500)
    await page.goto('/dashboard')
    const editor = await openEditor(page, context)
    await expect(editor.getByText('Not signed in')).toBeVisible()
    await expectAccessible(editor)
    await signInEditor(editor)
    await expect(balance(editor)).toContainText('500 credits left')

    await ask(editor, /^Explain this function/)
    await expect(latest(editor)).toContainText('12 credits used')
    await expect(latest(editor)).toBeFocused()
    await expect(balance(editor)).toContainText('488 credits left')
    await page.reload()
    await expect(page.getByRole('region', { name: 'Available Credits' })).toContainText('488')
    await expect(page.getByRole('region', { name: 'Extension token' })).toContainText('Active')
    await expect(page.getByText('Chat: Explain this function').first()).toBeVisible()

    await ask(editor, /^Rewrite the whole module/)
    await expect(balance(editor)).toContainText('88 credits left Running low')
    await ask(editor, /^Rewrite the whole module/)
    await expect(latest(editor)).toContainText(
      'Not enough credits. This takes 400 credits, and your personal balance has 88.',
    )
    await expect(balance(editor)).toContainText('88 credits left')
    await expectAccessible(editor)
    await editor.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(editor)
    await latest(editor).getByRole('link', { name: 'Add credits' }).click()
    await expect(editor.getByRole('region', { name: 'Buy Credits' })).toBeVisible()
    await expect(editor.getByRole('button', { name: /^Add Credits: / })).toBeEnabled()
  },
)

test('a sample editor whose token is revoked says so, and is signed in again', async ({
  page,
  context,
  baseURL,
}) => {
  const customer = await newCustomer(page.request, baseURL)
  await page.goto('/dashboard')
  const editor = await openEditor(page, context)
  await signInEditor(editor)
  await expect(balance(editor)).toContainText('0 credits left')
  await customer.call('/api/extension-token/revoke', {})
  await editor.reload()
  await expect(editor.getByRole('alert')).toContainText('The extension token is no longer valid.')
  await signInEditor(editor)
  await expect(balance(editor)).toContainText('0 credits left')
  await editor.getByRole('button', { name: 'Sign out' }).click()
  await expect(editor.getByText('Not signed in')).toBeVisible()
})
