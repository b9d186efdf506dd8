import { expect, test } from 'vitest'
import { findingKinds } from '../../../../schema/api/findings.ts'
import type { Finding, Repair } from '../../../../schema/api/reconciliation.ts'
import { requestSupportActs } from '../../../../schema/api/support-acts.ts'
import { actOf, actsOf } from './findings.ts'

const event = { kind: 'event', id: 'evt_1' } as const
const ada = { kind: 'user', id: 'user_1', label: 'a…@tidemark.test' } as const

function finding(id: string, repair: Repair | null): Finding {
  const at = '2026-11-22T12:00:00.000Z'
  return {
    id,
    kind: 'event_unapplied',
    object_id: id,
    owner: null,
    data: { source: 'stripe', type: 'charge.refunded', since: at, failure: null },
    money: null,
    credits: null,
    repair,
    first_seen_at: at,
    gone_at: null,
  }
}

const subject = 'An event of Stripe’s has not been applied since 22 November 2026 at 12:00 UTC'

test('a finding is repaired by the act that it proposes, which carries its id', () => {
  expect(actOf(finding('f1', { kind: 'replay', target: event, params: {} }))).toEqual({
    kind: 'replay',
    targets: [{ ...event, finding_id: 'f1' }],
    subject,
    params: {},
  })
  const params = { adjustment: { credits: -40, customer_note: 'Correction', may_leave_debt: false } }
  expect(actOf(finding('f1', { kind: 'adjust', target: ada, params }))?.params).toEqual(params)
  expect(actOf(finding('f1', null))).toBeNull()
})

test('a finding that needs a decision offers an adjustment for its owner', () => {
  expect(actOf({ ...finding('f1', null), owner: ada })).toEqual({
    kind: 'adjust',
    targets: [{ kind: 'user', id: 'user_1', finding_id: 'f1' }],
    subject,
  })
})

const repairs: readonly (Repair | null)[] = [
  null,
  { kind: 'replay', target: event, params: {} },
  { kind: 'resync', target: { kind: 'user', id: 'user_1' }, params: {} },
  { kind: 'cancel_subscription', target: { kind: 'subscription', id: 'sub_1' }, params: {} },
  {
    kind: 'adjust',
    target: { kind: 'user', id: 'user_1' },
    params: { adjustment: { credits: -5, customer_note: 'Correction', may_leave_debt: false } },
  },
]

test.each(findingKinds)('an act that a finding of the kind %s offers is one that the API takes', (kind) => {
  for (const repair of repairs) {
    const act = actOf({ ...finding('f1', repair), kind, owner: ada })
    const filled =
      act?.kind === 'adjust' ? { credits: 5, customer_note: 'Correction', ...act.params?.adjustment } : null
    const body = {
      id: '019ab7a0-0000-7000-8000-000000000000',
      kind: act?.kind,
      targets: act?.targets,
      reason: 'It was looked into',
      ...(filled && { params: { adjustment: filled } }),
    }
    expect(requestSupportActs.body?.safeParse(body).error).toBeUndefined()
  }
})

test('all are repaired together, each target once, and without adjustments', () => {
  const acts = actsOf([
    finding('f1', { kind: 'replay', target: event, params: {} }),
    finding('f2', { kind: 'resync', target: ada, params: {} }),
    finding('f3', { kind: 'resync', target: ada, params: {} }),
    finding('f4', { kind: 'adjust', target: ada, params: {} }),
    finding('f5', null),
  ])
  expect(acts.map(({ kind, targets }) => [kind, targets.map(({ id }) => id)])).toEqual([
    ['replay', ['evt_1']],
    ['resync', ['user_1']],
  ])
})
