import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { addressOf, type Endpoint } from '../schema/api/endpoint.ts'
import { buildExtensionToken } from '../tests/support/factories/extension-tokens.ts'
import { buildOrganization } from '../tests/support/factories/organizations.ts'
import { giveCredits } from '../tests/support/factories/transfers.ts'
import { buildAccount } from '../tests/support/factories/users.ts'
import { isLong } from '../tests/support/long.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'
import { routes } from './routes.ts'

const { database, clerk, server } = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const known = { user_id: '', org_id: '', session: '', extension: '' }
beforeAll(async () => {
  const person = await buildAccount({ database, clerk }, { role: 'support' })
  await giveCredits(database, person.user_id, { purchased: 1000 })
  const organization = await buildOrganization(clerk, person)
  const extension = await buildExtensionToken(database, person.user_id)
  Object.assign(known, {
    user_id: person.user_id,
    org_id: organization.id,
    session: person.token,
    extension,
  })
})

const times = ['9999-99-99T99:99:99.999999Z', '0000-00-00T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z']
const cursors = [...times, '2026-11-25T10:00:00.000000Z'].flatMap((at) =>
  ['', 'a\0b', 'é'.repeat(300), '-'.repeat(36)].flatMap((key) => [
    [at, key],
    [at, key, null],
    [at, key, 2 ** 52],
    { at, id: key },
    { invoice: key },
  ]),
)
const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  '\u202E',
  '𝒳'.repeat(150),
  '-'.repeat(36),
  'x'.repeat(5000),
  '0000-01',
  '0000-01-01',
  '9999-12',
  '9999-12-31',
  '9999-99-99',
  '275760-09-13',
  ...times,
  '-1',
  '0',
  '1e309',
  '9'.repeat(30),
  'NaN',
  '../../etc/passwd',
  '%00',
  "'; DROP TABLE users; --",
  '{"$ne":null}',
  'https://a@b:99999',
  'javascript:alert(1)',
]
const cursorTexts = [
  ...cursors.map((cursor) => JSON.stringify(cursor)),
  `1764060000000.${'-'.repeat(36)}`,
].map((cursor) => Buffer.from(cursor).toString('base64url'))
const numbers = [0, -0, 1, -1, 0.5, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53), 1e308]

interface Described {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Described[]
  readonly oneOf?: readonly Described[]
  readonly properties?: Readonly<Record<string, Described>>
  readonly required?: readonly string[]
  readonly items?: Described
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** Values that the contract describes, its edges, and what it does not expect. */
function valuesOf(schema: Described, name?: string): fc.Arbitrary<unknown> {
  if (name === 'cursor') return fc.constantFrom(...texts, ...cursorTexts)
  const { type, properties, items, pattern, format, minimum, maximum } = schema
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, name)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...schema.enum) }, anyText)
  if (type === 'object') {
    const fields = Object.entries(properties ?? {}).map(
      ([name, field]) => [name, valuesOf(field, name)] as const,
    )
    const model = Object.fromEntries(fields)
    return fc.oneof(
      { weight: 4, arbitrary: fc.record(model, { requiredKeys: [...(schema.required ?? [])] }) },
      fc.record(model, { requiredKeys: [] }),
    )
  }
  if (type === 'array') return fc.array(valuesOf(items ?? {}), { maxLength: 3 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer' || type === 'number') {
    const edges = [minimum, maximum].flatMap((edge) => (edge === undefined ? [] : [edge, edge - 1, edge + 1]))
    return fc.constantFrom(...edges, ...numbers)
  }
  const fitting = [
    fc.constantFrom(
      known.user_id,
      known.org_id,
      randomUUID(),
      'EUR',
      '10',
      'a@example.com',
      `http://localhost/x`,
    ),
    ...(format === 'uuid' ? [fc.uuid()] : []),
    ...(pattern ? [matching(pattern)] : []),
  ]
  return fc.oneof(anyText, ...fitting)
}

const anyText = fc.constantFrom(...texts)

function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    // A few of zod's own patterns look around, which cannot be generated.
    return fc.constant('')
  }
}

const described = (schema: z.core.$ZodType | undefined) =>
  schema && (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Described)

function requestsOf({ params, query, body }: Endpoint) {
  const paramsOf = described(params)
  const fieldsOf = described(query)
  const bodyOf = described(body)
  return fc.record({
    params: paramsOf ? (valuesOf(paramsOf) as fc.Arbitrary<Record<string, unknown>>) : fc.constant({}),
    query: fieldsOf ? (valuesOf(fieldsOf) as fc.Arbitrary<Record<string, unknown>>) : fc.constant({}),
    // Twice the same name: callers of other frameworks send lists so.
    isRepeated: fc.constantFrom(false, false, false, true),
    body: bodyOf
      ? fc.oneof({ weight: 9, arbitrary: valuesOf(bodyOf) }, anyText, fc.constant(null))
      : fc.constant(undefined),
  })
}

interface Hostile {
  readonly params: Record<string, unknown>
  readonly query: Record<string, unknown>
  readonly isRepeated: boolean
  readonly body: unknown
}

async function send(
  { method, path, auth }: Endpoint,
  { params, query, isRepeated, body }: Hostile,
): Promise<{ status: number; text: string }> {
  // Half a character has no form in an address.
  const wellFormed = Object.entries(params).map(([name, value]) => [name, String(value).toWellFormed()])
  const url = new URL(`${server.url}${addressOf({ path }, Object.fromEntries(wellFormed))}`)
  for (const [name, value] of Object.entries(query)) {
    url.searchParams.append(name, String(value))
    if (isRepeated) url.searchParams.append(name, String(value))
  }
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${auth === 'extension' ? known.extension : known.session}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, text: (await answer.text()).slice(0, 300) }
}

const calls = routes.flatMap(({ endpoint }) =>
  endpoint ? [[`${endpoint.method} ${endpoint.path}`, endpoint] as const] : [],
)

test.each(calls)('whatever a caller sends, %s answers without a failure of its own', async (_, endpoint) => {
  const requests = requestsOf(endpoint)
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const { status, text } = await send(endpoint, request)
      expect(status, text).toBeLessThan(500)
    }),
    {
      numRuns: Number(process.env.RUNS ?? (isLong ? 60 : 8)),
      seed: Number(process.env.SEED ?? 20_261_125),
      endOnFailure: true,
    },
  )
})
