import { afterEach, beforeEach, expect, it } from 'vitest'
import { listen, type Sandbox } from '../kit/serve.ts'
import { startSampleEditor } from './start.ts'

let product: Sandbox & Awaited<ReturnType<typeof listen>>
let editor: Sandbox
let asked: string[]
/** What the product answers, by address; it fails where there is null or nothing left. */
let answers: Record<string, (object | null)[]>
/** What the gateway answers. */
let replies: [number, string][]
beforeEach(async () => {
  product = await listen({ port: 0, host: '127.0.0.1' })
  asked = []
  answers = {}
  replies = []
  product.server.on('request', (request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/v1/messages') {
      const [status = 500, text = ''] = replies.shift() ?? []
      return response.writeHead(status).end(text)
    }
    const answer = answers[request.url ?? '']?.shift()
    response.writeHead(answer ? 200 : 500).end(JSON.stringify(answer ?? {}))
  })
  editor = await startSampleEditor({
    host: '127.0.0.1',
    port: 0,
    appUrl: product.url,
    gatewayUrl: product.url,
  })
})
afterEach(async () => {
  await editor.close()
  await product.close()
})

const visit = (path: string, request: RequestInit = {}) =>
  fetch(`${editor.url}${path}`, { redirect: 'manual', ...request })
const press = (path: string, cookie = '') =>
  visit(path, { method: 'POST', headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' } })
const read = async (cookie: string) => (await visit('/', { headers: { cookie } })).text()
const request = (cookie: string) =>
  visit('/requests', {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'name=explain',
  })
async function signIn(): Promise<string> {
  const balance = { available: 488, held: 0, low: false }
  const payers = [{ id: 'personal', name: 'Ada', is_default: true, cannot_pay: null }]
  answers = {
    '/api/auth/token': [{ access_token: 'tide_ours' }],
    '/api/extension/balance': [balance],
    '/api/extension/payers': [{ payers }],
  }
  const begun = await press('/sign-in')
  const cookie = cookieOf(begun)
  const { searchParams } = new URL(begun.headers.get('location') ?? '')
  await visit(`/auth-complete?code=ours&state=${searchParams.get('state')}`, { headers: { cookie } })
  return cookie
}
const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''

it('a sign-in that comes back with another state is not accepted, and its code is not exchanged', async () => {
  const cookie = cookieOf(await press('/sign-in'))
  const back = await visit('/auth-complete?code=theirs&state=theirs', { headers: { cookie } })
  expect(back.status).toBe(303)
  const page = await (await visit('/', { headers: { cookie } })).text()
  expect(page).toContain('This sign-in did not begin here.')
  expect(page).toContain('Not signed in')
  expect(asked).toEqual([])
})

it('a product that fails is said, and the editor stays signed out', async () => {
  const begun = await press('/sign-in')
  const cookie = cookieOf(begun)
  const { searchParams } = new URL(begun.headers.get('location') ?? '')
  await visit(`/auth-complete?code=ours&state=${searchParams.get('state')}`, { headers: { cookie } })
  const page = await (await visit('/', { headers: { cookie } })).text()
  expect(page).toContain(`${product.url} answered 500.`)
  expect(page).toContain('Not signed in')
  expect(asked).toEqual(['/api/auth/token'])
})

it.each([
  ['a model that fails', 529, { error: { message: 'Overloaded' } }, 'Not charged: provider error'],
  [
    'a gateway that fails',
    503,
    { error: { message: 'The meter does not answer.' } },
    'The meter does not answer.',
  ],
  ['an answer that breaks off', 200, { delta: { text: 'It ' } }, 'Not charged: provider error'],
])('%s is said, and nothing is called charged', async (_, status, body, sentence) => {
  const cookie = await signIn()
  replies.push([status, status === 200 ? `data: ${JSON.stringify(body)}\n\n` : JSON.stringify(body)])
  await request(cookie)
  const page = await read(cookie)
  expect(page).toContain(sentence)
  expect(page).not.toContain('credits used')
})

it('another name of the machine leads to the one that the sign-in comes back to', async () => {
  const answer = await fetch(`http://127.0.0.1:${editor.port}/?a=b`, { redirect: 'manual' })
  expect(answer.headers.get('location')).toBe(`${editor.url}/?a=b`)
})

it('the page loads nothing from elsewhere, runs no script and may not be framed', async () => {
  const answer = await visit('/')
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';.*frame-ancestors 'none'$/,
  )
  expect(await answer.text()).not.toContain('<script')
})
