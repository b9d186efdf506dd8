import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { failEvent } from '../../schema/inbox/events.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../../tests/support/factories/events.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { testProduct, trustingClerk } from '../../tests/support/product/start-test-product.ts'
import { routes } from '../routes.ts'

/** The rights are tested in rights.test.ts. */
const product = testProduct({
  clerk: 'trusting',
  server: {
    deps: { isSupportStaff: async () => true, clerk: { ...trustingClerk, identify: async () => null } },
  },
})
const { database, server } = product

const calls = routes.flatMap(({ endpoint }) => (endpoint?.auth === 'support' ? endpoint : []))
const nameOf = ({ method, path }: (typeof calls)[number]) => `${method} ${path}`

async function send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: 'Bearer user_sam', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

/** A customer whose rows and events are full of what support has no use for. */
async function buildCustomerWithSecrets() {
  const planted = (what: string) => `${what}_planted_${randomUUID().slice(0, 8)}`
  const intent = await buildPurchase(database.server)
  const secrets = {
    client_secret: planted('cs_secret'),
    fingerprint: planted('fingerprint'),
    last4: planted('last4'),
    address: planted('street'),
    phone: planted('phone'),
    name: planted('cardholder'),
    payment_page: planted('https://checkout.stripe.com/c/pay/cs'),
    token: await buildExtensionToken(database, intent.owner_id ?? ''),
  }
  const session = {
    ...sessionOf(intent.id),
    client_secret: secrets.client_secret,
    url: secrets.payment_page,
    customer_details: { name: secrets.name, phone: secrets.phone, address: { line1: secrets.address } },
    payment_method_details: { card: { fingerprint: secrets.fingerprint, last4: secrets.last4 } },
  }
  const event = await receiveStripeEvent(database.server, eventOf('checkout.session.completed', session))
  const failure = { reason: 'Cannot read properties of undefined', now: new Date() }
  await failEvent(database.worker, { source: 'stripe', id: event }, failure)
  await database.owner
    .insertInto('idempotent_requests')
    .values({
      user_id: intent.owner_id ?? '',
      key: randomUUID(),
      request_hash: Buffer.alloc(32),
      attempt_id: randomUUID(),
      answer: JSON.stringify({ client_secret: secrets.client_secret }),
      created_at: new Date(),
    })
    .execute()
  const hashes = await database.owner
    .selectFrom('extension_tokens')
    .select('token_hash')
    .where('user_id', '=', intent.owner_id ?? '')
    .execute()
  const encoded = hashes.flatMap(({ token_hash }) =>
    (['hex', 'base64', 'base64url'] as const).map((encoding) => token_hash.toString(encoding)),
  )
  return {
    owner: intent.owner_id ?? '',
    intent: intent.id,
    event,
    secrets: [...Object.values(secrets), ...encoded],
  }
}

/** Pages on which the reader has not opened any owner's case. */
const lists = [
  'GET /api/support/search',
  'GET /api/support/work',
  'GET /api/support/acts',
  'GET /api/support/audit',
]

test('no answer to support has a secret, a card or an address in it', async () => {
  const { owner, intent, event, secrets } = await buildCustomerWithSecrets()
  const target = { kind: 'user', id: owner }
  const act = randomUUID()
  const answers: Record<string, [string, object?][]> = {
    'GET /api/support/search': [[`?q=${event}`], [`?q=${intent}`], [`?q=${owner}`]],
    'GET /api/support/trace': [
      [`?owner=${owner}`],
      [`?kind=event&id=${event}`],
      [`?kind=intent&id=${intent}`],
    ],
    'GET /api/support/customer/balance': [[`?owner=${owner}`]],
    'GET /api/support/customer/usage': [[`?owner=${owner}`]],
    'GET /api/support/customer/invoices': [[`?owner=${owner}`]],
    'GET /api/support/work': [[''], ['?kind=event&state=failed']],
    'POST /api/support/acts': [
      ['', { id: act, kind: 'replay', targets: [{ kind: 'event', id: event }], reason: 'They wrote to us' }],
      // A dry run, because an erasure and the replay contradict each other.
      ['', { id: randomUUID(), kind: 'forget', targets: [target], is_dry_run: true }],
    ],
    'GET /api/support/acts': [[''], [`?id=${act}`]],
    'POST /api/support/acts/approve': [['', { id: randomUUID() }]],
    'POST /api/support/acts/refuse': [['', { id: randomUUID(), reason: 'It is too much' }]],
    'POST /api/support/acts/cancel': [['', { batch_id: randomUUID() }]],
    'GET /api/support/audit': [[''], [`?owner_id=${owner}`]],
    'GET /api/support/findings': [['']],
    'POST /api/support/reconciliation/runs': [['', {}]],
    'GET /api/support/statement': [['']],
    'GET /api/support/statement/export': [['']],
  }
  expect(Object.keys(answers).sort()).toEqual(calls.map(nameOf).sort())
  const { settings } = server.deps
  const ours = Object.entries(settings).flatMap(([name, value]) =>
    /secret|password/i.test(name) && typeof value === 'string' ? value : [],
  )
  for (const [name, requests] of Object.entries(answers)) {
    const [method = '', path = ''] = name.split(' ')
    for (const [query, body] of requests) {
      const { status, text } = await send(method, `${path}${query}`, body)
      expect(status, `${name}${query}: ${text}`).toBeOneOf(
        name.includes('approve') || name.includes('refuse') ? [404] : [200, 202],
      )
      for (const secret of [...secrets, ...ours]) expect(text, `${name}${query}`).not.toContain(secret)
      if (lists.includes(name)) expect(text, `${name}${query}`).not.toContain(`${owner}@tidemark.test`)
    }
  }
})

describe('every call of support', () => {
  test.each(calls.map((call) => [nameOf(call), call] as const))(
    'the call %s refuses unknown fields',
    async (_, { method, path }) => {
      const extra = { approved_by: 'user_sam' }
      const ask = (fields: Record<string, string>) =>
        method === 'GET'
          ? send(method, `${path}?${new URLSearchParams({ ...exampleQueries[path], ...fields })}`)
          : send(method, path, { ...exampleBodies[path], ...fields })
      expect((await ask({})).status).not.toBe(400)
      expect((await ask(extra)).status).toBe(400)
    },
  )

  test.each(calls.map((call) => [nameOf(call), call] as const))(
    'the call %s takes no URL to call',
    (_, call) => {
      for (const schema of [call.query, call.body]) {
        if (!schema) continue
        const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
        expect(text).not.toMatch(/"format":"ur[il]"|"\w*(ur[il]|href|host|callback|webhook)\w*":/i)
      }
    },
  )

  test.each([
    ['a long search', `/api/support/search?q=${'a'.repeat(321)}`],
    ['a long text', `/api/support/work?text=${'a'.repeat(101)}`],
    ['many entries of the log', '/api/support/audit?limit=101'],
    ['many findings', '/api/support/findings?limit=201'],
    ['a long cursor', `/api/support/trace?owner=user_ada&cursor=${'a'.repeat(301)}`],
  ])('the input of support’s calls is bounded: %s', async (_, path) => {
    expect((await send('GET', path)).status).toBe(400)
  })

  test.each([
    [
      'more than 500 targets',
      { kind: 'replay', targets: Array.from({ length: 501 }, (_, i) => ({ kind: 'event', id: `evt_${i}` })) },
    ],
    ['no target', { kind: 'replay', targets: [] }],
    [
      'two people to erase at once',
      { kind: 'forget', targets: ['user_a', 'user_b'].map((id) => ({ kind: 'user', id })) },
    ],
    [
      'a long reason',
      { kind: 'replay', targets: [{ kind: 'event', id: 'evt_1' }], reason: 'a '.repeat(501) },
    ],
  ])('every call of support is bounded: an act with %s', async (_, body) => {
    expect(
      (await send('POST', '/api/support/acts', { id: randomUUID(), reason: 'They wrote to us', ...body }))
        .status,
    ).toBe(400)
  })
})

/** Where a query is needed. */
const exampleQueries: Readonly<Record<string, Record<string, string>>> = {
  '/api/support/search': { q: 'user_ada' },
  '/api/support/trace': { owner: 'user_ada' },
  '/api/support/customer/balance': { owner: 'user_ada' },
  '/api/support/customer/usage': { owner: 'user_ada' },
  '/api/support/customer/invoices': { owner: 'user_ada' },
}

/** Each is taken as it is. */
const exampleBodies: Readonly<Record<string, object>> = {
  '/api/support/acts': {
    id: randomUUID(),
    kind: 'resync',
    targets: [{ kind: 'user', id: 'user_ada' }],
    reason: 'They wrote to us',
  },
  '/api/support/acts/approve': { id: randomUUID() },
  '/api/support/acts/refuse': { id: randomUUID(), reason: 'It is too much' },
  '/api/support/acts/cancel': { batch_id: randomUUID() },
  '/api/support/reconciliation/runs': {},
}
