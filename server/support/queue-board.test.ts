import { describe, expect, inject, test } from 'vitest'
import { listAudit } from '../../schema/support/audit.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { ownRedisUrl } from '../../tests/support/own-redis.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp, tokenOf } from '../../tests/support/services/clerk.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'

const onPostgres = testProduct({ clerk: 'sandbox' })
const { clerk } = onPostgres
const sam = madeOnce(() => signUp(clerk, { role: 'support' }))

const board = '/support/queues/'
const visit = (
  path: string,
  token?: string,
  { method = 'GET', on = onPostgres.server, cookie = '__session' } = {},
) =>
  fetch(`${on.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { accept: 'text/html', ...(token && { cookie: `theme=dark; ${cookie}=${token}` }) },
  })

describe('the board of the raw queues', () => {
  test('the board of the raw queues is a page for support staff, whose own scripts and styles the security policy allows', async () => {
    const page = await visit(board, sam.token)
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    const html = await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/script-src 'self'(;| https)/)
    const scripts = [...html.matchAll(/<script[^>]*\bsrc="([^"]+)"/g)].map(([, src = '']) => src)
    expect(scripts.length).toBeGreaterThan(0)
    // A script without an address is run only when it is JavaScript, and the policy would refuse it.
    expect(html.match(/<script(?![^>]*\b(?:src|type="application\/json"))/g)).toBeNull()
    for (const src of scripts) {
      expect(new URL(src, 'https://board.invalid/').origin).toBe('https://board.invalid')
      expect((await visit(`${board}${src}`, sam.token)).status).toBe(200)
    }
    expect((await visit('/support/queues', sam.token)).headers.get('location')).toBe(board)
  })

  test('the board of the raw queues takes the cookie that Clerk names after the application too', async () => {
    expect((await visit(board, sam.token, { cookie: '__session_Ab3-_x9Z' })).status).toBe(200)
  })

  test('the board of the raw queues stays open after the minute of a token, for as long as the session lives, and not for a day', async () => {
    const expired = await tokenOf(clerk, { user_id: sam.user_id, expires_in_s: -60 })
    expect((await visit(board, expired)).status).toBe(200)
    const { sid } = JSON.parse(Buffer.from(expired.split('.')[1] ?? '', 'base64url').toString())
    await clerk.client.sessions.revokeSession(sid)
    expect((await visit(board, expired)).status).toBe(404)
    const yesterdays = await tokenOf(clerk, { user_id: sam.user_id, expires_in_s: -86_400 })
    expect((await visit(board, yesterdays)).status).toBe(404)
  })

  test('the queue board is a 404 for callers who are not support staff', async () => {
    const ada = await signUp(clerk)
    for (const path of [board, '/support/queues', `${board}api/queues`, `${board}static/js/x.js`]) {
      for (const token of [undefined, 'no.token.atall', ada.token]) {
        const answer = await visit(path, token)
        expect([path, answer.status]).toEqual([path, 404])
        expect(await answer.json()).toMatchObject({ code: 'not_found' })
      }
    }
    const lines = await listAudit(onPostgres.database.server, { actor: ada.user_id }, { limit: 10 })
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatchObject({
      what: 'access',
      outcome: 'denied',
      target_kind: 'call',
      target_id: 'GET /support/queues',
    })
    // A token in the wrong place: a page elsewhere could not send it, and ours sends cookies here.
    const bearer = await fetch(`${onPostgres.server.url}${board}`, {
      headers: { authorization: `Bearer ${sam.token}` },
    })
    expect(bearer.status).toBe(404)
  })
})

describe.each([
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') },
])('with queues on $name', ({ redisUrl, missing }) => {
  test('the board shows jobs and changes none', async ({ skip }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const server = await onPostgres.startServer({ env: { REDIS_URL: redisUrl ?? '' } })
    const { producer } = server.deps
    // Redis takes commands once it is connected.
    await waitUntil(() => producer.counts().catch(() => undefined), 'the queues to answer')
    await producer.queue('stripe-events').obliterate({ force: true })
    await producer.add('stripe-events', 'evt_shown', { event_id: 'evt_shown' })
    const list = async () => {
      const answer = await visit(
        `${board}api/queues?activeQueue=stripe-events&page=1&jobsPerPage=10`,
        sam.token,
        { on: server },
      )
      const { queues } = (await answer.json()) as Board
      return queues.find(({ name }) => name === 'stripe-events')
    }
    const queue = await list()
    expect(queue?.jobs).toEqual([
      expect.objectContaining({ id: 'evt_shown', data: { event_id: 'evt_shown' } }),
    ])
    expect(queue?.readOnlyMode).toBe(true)
    for (const [method, path] of [
      ['PUT', 'api/queues/stripe-events/evt_shown/clean'],
      ['PUT', 'api/queues/stripe-events/evt_shown/retry/failed'],
      ['PUT', 'api/queues/stripe-events/empty'],
      ['PUT', 'api/queues/stripe-events/pause'],
      ['PUT', 'api/queues/stripe-events/obliterate'],
      ['POST', 'api/queues/stripe-events/add'],
      ['PATCH', 'api/queues/stripe-events/evt_shown/update-data'],
      ['DELETE', 'api/queues/stripe-events/job-schedulers/claim'],
    ] as const) {
      const answer = await visit(`${board}${path}`, sam.token, { method, on: server })
      expect([method, path, answer.status]).toEqual([method, path, 404])
    }
    expect((await list())?.jobs).toHaveLength(1)
    await server.close()
  })
})

interface Board {
  readonly queues: readonly {
    readonly name: string
    readonly readOnlyMode: boolean
    readonly jobs: readonly object[]
  }[]
}
