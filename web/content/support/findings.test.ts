import { expect, test } from 'vitest'
import { failureOf } from '../../../schema/api/failures.ts'
import { type FindingKind, findingKinds } from '../../../schema/api/findings.ts'
import type { Repair } from '../../../schema/api/reconciliation.ts'
import { reasonText } from './failures.ts'
import { describeFinding, findingName } from './findings.ts'
import { unknownForm } from './timeline.ts'

const at = '2026-11-22T12:00:30.000Z'
function say(kind: FindingKind, data: object, found: { credits?: number; repair?: Repair } = {}) {
  return describeFinding({ kind, data, object_id: 'x', credits: null, repair: null, ...found })
}

const session = {
  ...{
    intent_id: 'i1',
    is_plan: false,
    payment_status: 'paid',
    paid: { amount_minor: 700, currency: 'EUR' },
  },
  ...{ state: 'failed', reason: 'payment_failed', other_session_id: null, promised: null },
}
const unknown = { status: 'active', second_to: null, intent_id: null, intent_state: null }
const replay = (kind: 'intent' | 'subscription') =>
  ({ repair: { kind: 'replay', target: { kind, id: 'x' }, params: {} } }) as const
const refused = failureOf('stripe_refuses', { says: 'No such price: “x” (resource_missing)' })
const givenUp = failureOf('given_up', { attempts: 10, reason: refused })
const fields = [
  { field: 'seats', there: '3', here: '7' },
  { field: 'to_be_cancelled_at', there: null, here: '2026-12-01 10:00' },
]

test.each<[FindingKind, object, Parameters<typeof say>[2], string]>([
  [
    'session_not_settled',
    session,
    { credits: 500 },
    'A paid checkout of 500 credits is not settled. Checkout x is paid: €7.00. Checkout i1 is failed: The payment failed. A replay of the checkout fetches its session and settles it.',
  ],
  [
    'session_not_settled',
    { ...session, is_plan: true, paid: null, state: null, reason: null },
    {},
    'A paid plan is not settled. Checkout x is paid. Checkout i1 is not known to us. There is no such checkout in our database. After a restore `npm run restore:checkouts` writes it again; otherwise refund it at Stripe.',
  ],
  [
    'subscription_unknown',
    unknown,
    replay('intent'),
    'A plan that is active at Stripe is not known to us. Subscription x is active. Neither it nor its checkout is known to us. A replay of the checkout fetches its session and the subscription.',
  ],
  [
    'subscription_unknown',
    { ...unknown, second_to: 'sub_1' },
    replay('subscription'),
    'A second plan is active at Stripe, and not known to us. Subscription x is active. Their plan is sub_1. Cancelling it ends it at Stripe without another invoice. Refund there what it has taken.',
  ],
  [
    'subscription_differs',
    { fields, failure: givenUp },
    {},
    'A plan differs in seats, to be cancelled at. Subscription x: seats 3, to be cancelled at never. seats 7, to be cancelled at 2026-12-01 10:00. A replay fetches it again; the last one failed: Given up after 10 attempts: Stripe refuses it: No such price: “x” (resource_missing).',
  ],
  [
    'credits_too_many',
    { due: 200, lacking: [{ component: 'written_off', credits: -5 }] },
    { credits: -5 },
    '5 credits are there that are not due. By the facts grant x is due 200 credits. To agree, the ledger lacks: −5 written off. A resync posts what the facts say and the ledger lacks.',
  ],
  [
    'work_overdue',
    { what: 'checkout', source: null, type: null, since: at, failure: null },
    {},
    'A checkout is due, and no job has it. It should have been looked at by 22 November 2026 at 12:00 UTC. It has not been tried since. Check that a worker runs: it claims rows that are due every few seconds. A replay tries it now.',
  ],
  [
    'adjustment_unexplained',
    { posted_at: at, account: 'plan', actor: 'test', reason: 'A gift.' },
    { credits: -300 },
    '300 credits were given by hand, with no support act recorded. There is no act of support behind it. Transfer x of 22 November 2026 to the plan account, by test: A gift. Find out who posted it; then post the opposite amount.',
  ],
])('a finding of the kind %s is said in sentences from its figures: %o', (kind, data, found, text) => {
  const { sentence, they_say, we_have, advice } = say(kind, data, found)
  expect(`${sentence}. ${they_say} ${we_have} ${advice}`).toBe(text)
})

test.each(findingKinds.filter((kind) => kind !== 'subscription_untaxed'))(
  'a finding of the kind %s with figures of another version is said by its kind and id',
  (kind) => {
    expect(say(kind, { other: 1 })).toEqual({
      sentence: `${findingName(kind)}: x`,
      they_say: '',
      we_have: '',
      advice: unknownForm,
    })
  },
)

test.each([
  'The card was declined (generic_decline).',
  'code_of_a_later_version {"id":"x"}',
  'has_state {"what":',
])('a reason without a sentence of ours is shown as it is: %s', (reason) => {
  expect(reasonText(reason)).toBe(reason)
})

test('a reason is said from its figures, also where an earlier version wrote fewer', () => {
  expect(reasonText(failureOf('has_state', { what: 'hold', state: 'timed_out' }))).toBe(
    'The hold is timed out',
  )
  expect(reasonText('has_state')).toContain('The')
})
