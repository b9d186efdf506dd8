import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { WebConfigContext } from '../../api/catalogue.ts'
import { testConfig } from '../../testing/config.ts'
import { FirstSteps } from './FirstSteps.tsx'

const balance = { plan: 0, purchased: 0, total: 0, available: 0, held: 0, low: false, had_credits: false }
const summary: AccountSummary = {
  payer: 'personal',
  organization_name: null,
  has_seat: true,
  plan_month: null,
  member_since: '2026-05-01T00:00:00.000Z',
  may_manage: true,
  balance,
  credits_on_the_way: 0,
  is_renewing: false,
  plan_type: 'starter',
  currency: { code: 'EUR', is_bound: false },
  subscription: null,
  overdue: null,
  payments: [],
  as_of: '2026-05-02T00:00:00.000Z',
}
const some = { ...balance, total: 500, available: 500, held: 0, had_credits: true }

/** What a reader sees, without markup. */
function show(changes: Partial<AccountSummary>, connected = false): string {
  return renderToString(
    <WebConfigContext value={testConfig}>
      <FirstSteps summary={{ ...summary, ...changes }} connected={connected} />
    </WebConfigContext>,
  )
    .replaceAll(/<!-- -->/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}

test('the credits of a plan are those that were bought, and are not said to last for ever', () => {
  const subscription = {
    id: 'sub_1',
    plan_type: 'pro',
    status: 'active',
    billing_frequency: 'monthly',
    currency: 'EUR',
    seats_total: 1,
    credits_per_seat: 444,
    price_per_seat_minor: 1500,
    current_period_end: '2026-06-01T00:00:00.000Z',
    trial_end: null,
    lapses_at: null,
    lacks_tax_location: false,
    cancel_at: null,
    ended_at: null,
    scheduled_change: null,
  } as const
  const shown = show({ plan_type: 'pro', subscription, balance: { ...some, plan: 444 } })
  expect(shown).toContain('Your plan adds 444 credits every month.')
  expect(shown).not.toMatch(/never expire|Add credits/)
})

test('purchased credits are said to last', () => {
  expect(show({ balance: { ...some, purchased: 500 } })).toContain('Purchased credits never expire.')
  expect(show({})).toMatch(/2 Add credits .*Purchased credits never expire\./)
})

test('a member without a seat is not told of credits to use', () => {
  const member = { payer: 'org_1', may_manage: false, plan_type: 'teams', balance: some } as const
  expect(show({ ...member, has_seat: false })).toMatch(/2 Get a seat An administrator assigns it to you\./)
  expect(show({ ...member, has_seat: false })).not.toContain('Credits to use')
  expect(show(member)).toContain('Credits to use')
})

test('a member is asked to connect an editor, and not to buy', () => {
  const member = { payer: 'org_1', may_manage: false, plan_type: 'teams' } as const
  expect(show({ ...member, balance: some })).toContain('Connect your editor')
  expect(show(member)).toContain('An administrator can add credits.')
  expect(show({ ...member, balance: some }, true)).toBe('')
})
