import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { fillSignUp, signUp } from './support/people.ts'
import { failCallsAbout } from './support/product.ts'
import { alsoOnPhones, expect, long, longAndOnPhones, test } from './support/test.ts'

/** An editor that waits on a port of this machine for the browser to come back. */
async function startEditor() {
  const visits: URL[] = []
  const server = createServer((request, response) => {
    visits.push(new URL(request.url ?? '', 'http://editor.test'))
    response.end('Signed in')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const state = randomBytes(16).toString('base64url')
  const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const initiate = { vscode_redirect_uri: redirect_uri, code_challenge, state }
  return {
    state,
    redirect_uri,
    visits,
    code_verifier,
    initiate: `/auth/vscode-initiate?${new URLSearchParams(initiate)}`,
    page: `/extension-signin?${new URLSearchParams({ state, redirect_uri })}`,
    close: () => server.close(),
  }
}

/** The calls of the page that could sign an editor in, in their order. */
function listenTo(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('-vscode-auth')) calls.push(pathname.split('/').at(-1) ?? '')
  })
  return calls
}

const agree = (page: Page) => page.getByRole('button', { name: 'Connect editor' })

test('an editor is signed in after a click, on a page that names account and destination', async ({
  page,
  request,
}) => {
  const editor = await startEditor()
  const person = await signUp(page)
  const calls = listenTo(page)
  await page.goto(editor.page)
  await expect(page.getByText(person.email)).toBeVisible()
  await expect(page.getByText('A program on a computer')).toBeVisible()
  await expect(page.getByText(new URL(editor.redirect_uri).origin)).toBeVisible()
  await expect(agree(page)).toBeVisible()
  expect(calls).toEqual(['prepare-vscode-auth'])
  expect(editor.visits).toEqual([])

  await agree(page).click()
  await expect.poll(() => editor.visits.filter(({ pathname }) => pathname === '/callback')).toHaveLength(1)
  expect(calls).toEqual(['prepare-vscode-auth', 'complete-vscode-auth'])
  const code = editor.visits[0]?.searchParams.get('code') ?? ''
  expect(editor.visits[0]?.searchParams.get('state')).toBe(editor.state)
  const { state, redirect_uri } = editor
  const exchanged = await request.post('/api/auth/token', {
    form: { grant_type: 'authorization_code', code, state, redirect_uri },
  })
  expect(exchanged.status()).toBe(200)
  editor.close()
})

test(
  'a signed-out user signs in first, in a window on the same page, and is asked then',
  long,
  async ({ page }) => {
    const editor = await startEditor()
    const calls = listenTo(page)
    await page.goto(editor.page)
    await expect(page.getByText('Sign in to connect your editor extension')).toBeVisible()
    expect(calls).toEqual([])
    await page.getByRole('button', { name: 'Sign In' }).click()
    await page.getByRole('link', { name: 'Sign up' }).click()
    const person = await fillSignUp(page)
    await expect(page.getByText(person.email)).toBeVisible()
    await expect(agree(page)).toBeVisible()
    expect(calls).not.toContain('complete-vscode-auth')
    editor.close()
  },
)

test('a user who cancels sends nothing', async ({ page }) => {
  const editor = await startEditor()
  await signUp(page)
  const calls = listenTo(page)
  await page.goto(editor.page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Nothing was sent to the editor.')).toBeVisible()
  expect(calls).toEqual(['prepare-vscode-auth'])
  expect(editor.visits).toEqual([])
  editor.close()
})

test('a window that the browser keeps open says what to do instead', longAndOnPhones, async ({ page }) => {
  await page.goto('/sign-in')
  await page.goto('/extension-signin')
  await expect(page.getByText('Please start the authentication flow from VSCode.')).toBeVisible()
  await page.getByRole('button', { name: 'Close Window' }).click()
  await expect(page.getByRole('status')).toContainText('Close the tab yourself, and return to your editor.')
})

test(
  'a sign-in names its editor; another extension is refused, and the user of an unknown editor gets a token to paste',
  alsoOnPhones,
  async ({ page }) => {
    await signUp(page)
    const begin = (redirect_uri: string) => {
      const state = randomBytes(16).toString('base64url')
      return page.goto(`/extension-signin?${new URLSearchParams({ state, redirect_uri })}`)
    }
    const callback =
      'vscode-reqid=1&vscode-scheme=vscode&vscode-authority=tidemark.tidemark&vscode-path=%2Fauth'
    await begin(`https://vscode.dev/callback?${callback}`)
    await expect(page.getByText('Visual Studio Code for the Web')).toBeVisible()
    await expect(page.getByText('https://vscode.dev (tidemark.tidemark)')).toBeVisible()
    await begin('kiro://tidemark.tidemark/auth')
    await expect(page.getByText('Kiro', { exact: true })).toBeVisible()
    await expect(agree(page)).toBeVisible()
    await begin('vscode://evil.tidemark/auth')
    await expect(page.getByText('begun by an extension that is not ours')).toBeVisible()
    await expect(agree(page)).toBeHidden()
    await begin(`https://vscode.dev.evil.example/callback?${callback}`)
    await expect(page.getByText('This editor is not one that can sign in through the browser')).toBeVisible()
    await expect(agree(page)).toBeHidden()
    const dashboard = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Generate a token' }).click()
    await expect((await dashboard).getByRole('button', { name: 'Generate Long-Lived Token' })).toBeVisible()
  },
)

test.describe('with PKCE', () => {
  test(
    'a signed-out user signs in first; after a click the code goes to the editor, which exchanges it',
    alsoOnPhones,
    async ({ page, request }) => {
      const editor = await startEditor()
      const vscode = {
        state: editor.state,
        vscode_redirect_uri: 'vscode://tidemark.tidemark/auth',
        request: 'x',
      }
      await page.goto(`/auth/vscode-callback?${new URLSearchParams(vscode)}`)
      await expect(
        page.getByText('You must be signed in to complete VSCode authentication. Redirecting to sign-in...'),
      ).toBeVisible()
      await page.goto(editor.initiate)
      await expect(page.getByText(/^You must be signed in to complete editor authentication\./)).toBeVisible()
      const { pathname, search } = new URL(page.url())
      expect(pathname).toBe('/auth/vscode-callback')
      await page.waitForURL('**/sign-in?**')
      expect(new URL(page.url()).searchParams.get('redirect_url')).toBe(pathname + search)
      await page.getByRole('link', { name: 'Sign up' }).click()
      const person = await fillSignUp(page)

      await expect(page.getByText(person.email, { exact: true })).toBeVisible()
      await expect(page.getByText('A program on a computer')).toBeVisible()
      expect(editor.visits).toEqual([])
      await agree(page).click()
      await page.waitForURL(`${editor.redirect_uri}?**`)
      const { code_verifier, state, redirect_uri } = editor
      const code = editor.visits[0]?.searchParams.get('code') ?? ''
      const form = { grant_type: 'authorization_code', code, state, redirect_uri, code_verifier }
      expect((await request.post('/api/auth/token', { form })).status()).toBe(200)
      editor.close()
    },
  )

  test('the page names what is missing, wrong or failing, and nothing is sent', async ({ page }) => {
    const editor = await startEditor()
    await page.goto('/auth/vscode-initiate?vscode_redirect_uri=vscode://tidemark.tidemark/auth')
    await expect(page.getByText('Missing PKCE parameters (code_challenge or state).')).toBeVisible()
    await page.goto(editor.initiate.replace('127.0.0.1', 'evil.example'))
    await expect(page.getByText('This editor is not one that can sign in through the browser')).toBeVisible()

    const { email } = await signUp(page)
    await page.goto(editor.initiate)
    // Who could pay is known: the one call that fails is the next.
    await expect(agree(page)).toBeEnabled()
    await failCallsAbout(email, 1)
    await agree(page).click()
    await expect(page.getByText('Authentication failed: Failed to update authentication code.')).toBeVisible()
    // An attacker has replaced the displayed address with a more harmless one.
    const changed = new URL(page.url())
    changed.searchParams.set('vscode_redirect_uri', 'vscode://tidemark.tidemark/auth')
    await page.goto(changed.href)
    await expect(page.getByText('Visual Studio Code')).toBeVisible()
    await agree(page).click()
    await expect(page.getByText('is not the one that this sign-in began with')).toBeVisible()
    expect(editor.visits).toEqual([])
    editor.close()
  })
})
