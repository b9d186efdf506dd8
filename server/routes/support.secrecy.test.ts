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
  const hashes = await database.rows('extension_tokens', { user_id: intent.owner_id ?? '' }, ['token_hash'])
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

/** Pages on which support chooses between no people, before the reader has opened a case. */
const lists = ['GET /api/support/audit', 'GET /api/support/findings']

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
    'GET /api/support/customer/next-payment': [[`?owner=${owner}`]],
    'GET /api/support/customer/summary': [[`?owner=${owner}`]],
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
    'the call %s takes no unknown field, no URL to call, and no text or list without an end',
    (_, call) => {
      for (const schema of [call.query, call.body]) {
        if (!schema) continue
        const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
        expect(described.additionalProperties).toBe(false)
        expect(JSON.stringify(described)).not.toMatch(
          /"format":"ur[il]"|"\w*(ur[il]|href|host|callback|webhook)\w*":/i,
        )
        expect(unboundedIn(described)).toEqual([])
      }
    },
  )

  test('every call of support erases one person at a time', async () => {
    const targets = ['user_a', 'user_b'].map((id) => ({ kind: 'user', id }))
    const body = { id: randomUUID(), reason: 'They wrote to us', kind: 'forget', targets }
    expect((await send('POST', '/api/support/acts', body)).status).toBe(400)
  })
})

/** Where a schema takes a text or a list of any length. */
function unboundedIn(schema: object, path = ''): string[] {
  const { type, maxLength, maxItems, format, pattern } = schema as Record<string, unknown>
  const repeats = typeof pattern !== 'string' || /[*+]/.test(pattern)
  const isBounded = 'enum' in schema || 'const' in schema || format !== undefined || !repeats
  const isUnbounded =
    (type === 'string' && maxLength === undefined && !isBounded) ||
    (type === 'array' && maxItems === undefined)
  const inner = Object.entries(schema).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && name !== 'enum'
      ? unboundedIn(value, `${path}/${name}`)
      : [],
  )
  return isUnbounded ? [path, ...inner] : inner
}
