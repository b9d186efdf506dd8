import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { ServerError } from '../errors.ts'
import { parse } from './validate.ts'

function refusalOf(schema: z.core.$ZodType, value: unknown): ServerError {
  try {
    parse(schema, value)
  } catch (thrown) {
    if (thrown instanceof ServerError) return thrown
  }
  throw new Error('The input was accepted')
}

const field = (schema: z.core.$ZodType) => z.strictObject({ plan: schema })

test.each<[string, z.core.$ZodType, unknown, string]>([
  [
    'a value that is none of several',
    z.enum(['starter', 'pro', 'teams']),
    'gold',
    'plan must be starter, pro or teams',
  ],
  ['another value than the only one', z.literal('teams'), 'pro', 'plan must be teams'],
  ['a missing value', z.enum(['pro']), undefined, 'plan is required'],
  ['a missing text', z.string(), undefined, 'plan is required'],
  ['a number for a text', z.string(), 5, 'plan must be text'],
  ['a text for a number', z.int(), 'x', 'plan must be a number'],
  ['a part of a number', z.int(), 1.5, 'plan must be a whole number'],
  ['too small a number', z.int().check(z.minimum(1)), 0, 'plan must be at least 1'],
  ['too large a number', z.int().check(z.maximum(50)), 51, 'plan must be at most 50'],
  ['an empty text', z.string().check(z.minLength(1)), '', 'plan must have at least 1 character'],
  ['too long a text', z.string().check(z.maxLength(3)), 'abcd', 'plan must have at most 3 characters'],
  ['an empty list', z.array(z.string()).check(z.minLength(1)), [], 'plan must have at least 1 item'],
  ['a time that is none', z.iso.datetime(), 'x', 'plan must be a time such as 2026-01-31T12:00:00Z'],
  ['an address that is none', z.url(), 'x', 'plan must be a complete address'],
  ['a text of another form', z.string().check(z.regex(/^in_/)), 'x', 'plan must be in the documented format'],
  ['none of several types', z.union([z.string(), z.number()]), true, 'plan is not valid'],
  [
    'a text with one of our own sentences',
    z.string().check(z.minLength(1, 'Enter a plan')),
    '',
    'Enter a plan',
  ],
])('%s is refused with a sentence', (_what, schema, plan, text) => {
  expect(refusalOf(field(schema), { plan })).toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: text,
    fields: [{ path: 'plan', message: text }],
  })
})

test('a request that is no object, and one with a field too many, are refused with a sentence', () => {
  expect(refusalOf(field(z.string()), [])).toMatchObject({ message: 'The request must be an object' })
  const more = refusalOf(field(z.string()), { plan: 'pro', role: 'admin' })
  expect(more).toMatchObject({ message: 'Unknown field: role', fields: [{ path: 'role' }] })
})

test('a text of the contract goes before the first problem', () => {
  const { body } = createCheckoutSession
  const refused = refusalOf(body, { planType: 'gold', seats: 0, clerkUserId: 'user_1' })
  expect(refused.message).toBe('Seats must be a whole number from 1 to 100')
  expect(refused.fields).toContainEqual({ path: 'planType', message: 'planType must be pro or teams' })
})
