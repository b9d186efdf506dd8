import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { fillSignUp, signUp } from './support/people.ts'
import { expect, test } from './support/test.ts'

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
  return {
    state,
    redirect_uri,
    visits,
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

const agree = (page: Page) => page.getByRole('button', { name: 'Sign in the editor' })

test('an editor is signed in after a click, on a page that names account and destination', async ({
  page,
  request,
}) => {
  const editor = await startEditor()
  const person = await signUp(page)
  const calls = listenTo(page)
  await page.goto(editor.page)
  await expect(page.getByText(person.email)).toBeVisible()
  await expect(page.getByText('A program on this computer')).toBeVisible()
  await expect(page.getByText(new URL(editor.redirect_uri).origin)).toBeVisible()
  await expect(agree(page)).toBeVisible()
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations).toEqual([])
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

test('whoever is signed out signs in first, in a window on the same page, and is asked then', async ({
  page,
}) => {
  const editor = await startEditor()
  const calls = listenTo(page)
  await page.goto(editor.page)
  await expect(page.getByText('Sign in to connect your VSCode extension')).toBeVisible()
  expect(calls).toEqual([])
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('link', { name: 'Sign up' }).click()
  const person = await fillSignUp(page)
  await expect(page.getByText(person.email)).toBeVisible()
  await expect(agree(page)).toBeVisible()
  expect(calls).not.toContain('complete-vscode-auth')
  editor.close()
})

test('who cancels sends nothing', async ({ page }) => {
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

test('a sign-in that ends at somebody else’s extension is refused before anybody is asked', async ({
  page,
}) => {
  const state = randomBytes(16).toString('base64url')
  await signUp(page)
  const redirect_uri = 'vscode://evil.tidemark/auth'
  await page.goto(`/extension-signin?${new URLSearchParams({ state, redirect_uri })}`)
  await expect(page.getByText('begun by an extension that is not ours')).toBeVisible()
  await expect(agree(page)).toBeHidden()
})
