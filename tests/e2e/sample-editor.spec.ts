import type { BrowserContext, Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { newCustomer } from './support/customers.ts'
import { alsoOnPhones, expect, longAndOnPhones, test } from './support/test.ts'

const balance = (editor: Page) => editor.getByRole('region', { name: 'Balance' })
const latest = (editor: Page) => editor.getByRole('article').last()
const ask = (editor: Page, request: RegExp) => editor.getByRole('button', { name: request }).click()

async function openEditor(page: Page, context: BrowserContext): Promise<Page> {
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Open the sample editor' }).first().click()
  return opened
}

/** From the editor to the product's pages and back. */
async function signInEditor(editor: Page, computer?: string): Promise<void> {
  if (computer) await editor.getByLabel('Name of this computer').fill(computer)
  await editor.getByRole('button', { name: 'Sign in' }).click()
  await expect(editor.getByText('A program on a computer')).toBeVisible()
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
    await expect(balance(editor)).toContainText('500 credits available')

    await ask(editor, /^Explain this function/)
    await expect(latest(editor)).toContainText('12 credits used')
    await expect(latest(editor)).toBeFocused()
    await expect(balance(editor)).toContainText('488 credits available')
    await page.reload()
    await expect(page.getByRole('region', { name: 'Available Credits' })).toContainText('488')
    await expect(page.getByRole('listitem').filter({ hasText: 'Sample editor on laptop' })).toBeVisible()
    await expect(page.getByText('Chat: Explain this function').first()).toBeVisible()

    await ask(editor, /^Ask a model that is down/)
    await expect(latest(editor)).toContainText('Not charged: provider error')
    await expect(balance(editor)).toContainText('488 credits available')

    await ask(editor, /^Let an agent write tests/)
    const running = editor.getByRole('form', { name: 'Running: Let an agent write tests' })
    await expect(running).toContainText('75 credits are reserved for it.')
    await expect(balance(editor)).toContainText('413 credits available · 75 reserved')
    await expectAccessible(editor)
    await ask(editor, /^Rewrite the whole module/)
    await expect(latest(editor)).toContainText(
      'has 413 available and 75 reserved. Please try again when other',
    )
    await expect(latest(editor).getByRole('link', { name: 'Add credits' })).toHaveCount(0)
    await running.getByRole('button', { name: 'Stop' }).click()
    await expect(running).toBeHidden()
    await expect(balance(editor)).toContainText('488 credits available')
    await expect(balance(editor)).not.toContainText('reserved')

    await ask(editor, /^Let an agent write tests/)
    await running.getByRole('button', { name: 'Let it finish' }).click()
    await expect(latest(editor)).toContainText('60 credits used')
    await expect(balance(editor)).toContainText('428 credits available')
    await ask(editor, /^Rewrite the whole module/)
    await expect(latest(editor)).toContainText('400 credits used')
    await expect(balance(editor)).toContainText('28 credits available Running low')
    await ask(editor, /^Rewrite the whole module/)
    await expect(latest(editor)).toContainText(
      'Not enough credits. This takes 420 credits, and your personal balance has 28.',
    )
    await expect(balance(editor)).toContainText('28 credits available Running low')
    await expectAccessible(editor)
    await editor.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(editor)
    await latest(editor).getByRole('link', { name: 'Add credits' }).click()
    await expect(editor.getByRole('region', { name: 'Buy Credits' })).toBeVisible()
    await expect(editor.getByRole('button', { name: /^Add Credits · / })).toBeEnabled()
  },
)

test(
  'two editors are signed in at once, and each is revoked on the dashboard while the other goes on',
  longAndOnPhones,
  async ({ page, context, browser, baseURL }) => {
    const customer = await newCustomer(page.request, baseURL)
    await customer.buy(500)
    await page.goto('/dashboard')
    const card = page.getByRole('region', { name: 'Extension token' })
    const rowOf = (name: string) => card.getByRole('listitem').filter({ hasText: name })
    await expect(page.getByRole('region', { name: 'Connected editors' })).toBeHidden()
    const laptop = await openEditor(page, context)
    await laptop.getByLabel('Name of this computer').fill('laptop')
    await laptop.getByRole('button', { name: 'Sign in' }).click()
    await expect(laptop.getByText('A program on a computer')).toBeVisible()
    await expect(laptop.getByText('Says it is “Sample editor on laptop”')).toBeVisible()
    await expect(laptop.getByText('Your other editors stay connected.')).toBeVisible()
    await expectAccessible(laptop)
    await laptop.getByRole('button', { name: 'Connect editor' }).click()
    await expect(balance(laptop)).toContainText('500 credits available')

    // Another computer: the same person, and an editor that knows nothing of the first.
    const { cookies, origins } = await context.storageState()
    const elsewhere = await browser.newContext({
      storageState: { origins, cookies: cookies.filter(({ name }) => name !== 'sandbox_editor') },
    })
    const desktop = await elsewhere.newPage()
    await desktop.goto(laptop.url())
    await signInEditor(desktop, 'desktop')
    await expect(balance(desktop)).toContainText('500 credits available')
    await laptop.reload()
    await expect(balance(laptop)).toContainText('500 credits available')

    await page.reload()
    for (const name of ['Sample editor on laptop', 'Sample editor on desktop']) {
      await expect(rowOf(name)).toContainText(`Says it is “${name}”`)
      await expect(rowOf(name)).toContainText(/Last used \w+ \d+, \d{4}, \d/)
    }
    await expectAccessible(page)
    await rowOf('laptop')
      .getByRole('button', { name: /^Revoke .*laptop/ })
      .click()
    const dialog = page.getByRole('alertdialog', { name: /^Revoke .*laptop/ })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Revoke editor' }).click()
    await expect(rowOf('laptop')).toBeHidden()
    await ask(laptop, /^Explain this function/)
    await expect(laptop.getByRole('alert')).toContainText('The extension token is no longer valid.')
    await ask(desktop, /^Explain this function/)
    await expect(balance(desktop)).toContainText('488 credits available')

    await card.getByRole('button', { name: 'Generate Long-Lived Token' }).click()
    await expect(card).toContainText('Active')
    await expect(rowOf('desktop')).toBeVisible()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 320, height: 720 })
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320)
    await card.getByRole('button', { name: 'Revoke all' }).click()
    await page
      .getByRole('alertdialog', { name: 'Revoke all tokens?' })
      .getByRole('button', { name: 'Revoke all' })
      .click()
    await expect(rowOf('desktop')).toBeHidden()
    await expect(card).not.toContainText('Active')
    await expect(card.getByText(/^tide_/)).toBeHidden()
    await desktop.reload()
    await expect(desktop.getByRole('alert')).toContainText('The extension token is no longer valid.')
    await elsewhere.close()
  },
)
