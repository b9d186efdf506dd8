import { expect, type Page } from '@playwright/test'

/** As an editor of the page's user does that has a token. */
export async function spendAsEditor(
  page: Page,
  { credits, payer = 'personal' }: { credits: number; payer?: string },
): Promise<void> {
  const session = await page.evaluate<string>('window.Clerk.session.getToken()')
  const authorization = (token: string) => ({ authorization: `Bearer ${token}` })
  const generated = await page.request.post('/api/extension-token/generate', {
    headers: authorization(session),
  })
  const { access_token } = (await generated.json()) as { access_token: string }
  const used = await page.request.post('/api/extension/usage', {
    headers: authorization(access_token),
    data: { credits, payer, idempotency_key: `spend-${credits}` },
  })
  expect(used.status()).toBe(200)
}
