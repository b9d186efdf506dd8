import { expect, type Page } from '@playwright/test'

/** As an editor of the page's user does that has a token. Returns the answer. */
export async function spendAsEditor(
  page: Page,
  { credits, payer = 'personal', status = 200 }: { credits: number; payer?: string; status?: number },
): Promise<{ ask?: string }> {
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
  expect(used.status()).toBe(status)
  return (await used.json()) as { ask?: string }
}
