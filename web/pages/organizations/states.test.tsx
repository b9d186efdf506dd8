import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { OrganizationPerson } from '../../../schema/api/organization-people.ts'
import type { OrganizationSubscription } from '../../../schema/api/organizations.ts'
import { WebConfigContext } from '../../api/catalogue.ts'
import { SubscriptionBadge } from '../../components/organization-billing/SubscriptionBadge.tsx'
import { SeatBar } from '../../components/Seats.tsx'
import { testConfig } from '../../testing/config.ts'
import { InvitationBadge } from '../payment/success/TeamInvitationManager.tsx'
import { SeatState } from './PeopleCard.tsx'
import { actionFor } from './PersonActions.tsx'
import { SeatUsage } from './SeatsTab.tsx'

function show(seats_used: number, seats_total: number, notice: string | null = null): string {
  const summary = { seats_used, seats_total, seats: [], over_limit: seats_used > seats_total, notice }
  return renderToString(
    <WebConfigContext value={testConfig}>
      <SeatUsage summary={summary} onBuy={() => undefined} onAssign={() => undefined} />
    </WebConfigContext>,
  )
}

test.each([
  [3, 5, 'bg-accent', 60],
  [4, 5, 'bg-star', 80],
  [5, 6, 'bg-critical', 83],
  [7, 5, 'bg-critical', 100],
])('the bar of %i of %i seats is drawn in %s', (used, total, color, percent) => {
  const bar = renderToString(<SeatBar used={used} total={total} />)
  expect(bar).toContain(color)
  expect(bar).toMatch(new RegExp(`width:${percent}`))
})

test('above 80 percent the limit is near, at 100 it is reached', () => {
  expect(show(4, 5)).not.toMatch(/Approaching Seat Limit|All Seats Used/)
  expect(show(9, 10)).toContain('Approaching Seat Limit')
  expect(show(10, 10)).toContain('All Seats Used')
  expect(show(10, 10)).not.toContain('Approaching Seat Limit')
  expect(show(6, 5, '6 seats are in use')).toContain('6 seats are in use')
})

test('seats are sold up to a hundred, and only with a subscription', () => {
  expect(show(1, 99)).toContain('Buy Additional Seats')
  expect(show(1, 100)).not.toContain('Buy Additional Seats')
  expect(show(1, 0, 'The subscription has ended.')).not.toContain('Buy Additional Seats')
})

const ada: OrganizationPerson = {
  user_id: 'user_2',
  name: 'Ada Hill',
  email: 'ada@tidemark.test',
  role: 'member',
  is_member: true,
  seat: 'active',
  invitation: null,
  used_credits: 1200,
}

test.each<[string, Partial<OrganizationPerson>, string, ReturnType<typeof actionFor>]>([
  ['a member with a seat', {}, 'Active', 'revoke_seat'],
  ['a member without a seat', { seat: null }, 'No seat yet', 'assign'],
  ['a member whose seat was revoked', { seat: 'revoked' }, 'Revoked', 'assign'],
  ['a member without an address', { email: null, seat: null }, 'No seat yet', null],
  ['a guest without a seat', { user_id: null, is_member: false, seat: null }, 'No seat yet', 'assign'],
  ['a person who has left', { is_member: false, seat: 'revoked' }, 'Revoked', null],
  ['a person whose invitation expired', { is_member: false, seat: 'expired' }, 'Expired', null],
])(
  '%s has a state in the table of people, and an action for what can be done',
  (_, person, state, action) => {
    const row = { ...ada, ...person }
    expect(renderToString(<SeatState seat={row.seat} />)).toContain(state)
    expect(actionFor(row)).toBe(action)
  },
)

test.each<[OrganizationSubscription['status'], string, string]>([
  ['active', 'Active', 'text-positive'],
  ['past_due', 'Past Due', 'text-caution'],
  ['canceled', 'Canceled', 'text-critical'],
  ['trialing', 'Free trial', 'text-accent'],
  ['unpaid', 'Unpaid', 'text-critical'],
  ['incomplete', 'incomplete', 'text-muted'],
])('a subscription that is %s says %s', (status, text, color) => {
  const badge = renderToString(<SubscriptionBadge status={status} cancel_at={null} ended_at={null} />)
  expect(badge).toContain(`>${text}<`)
  expect(badge).toContain(color)
})

test.each([
  ['pending', 'Pending', 'text-caution'],
  ['accepted', 'Accepted', 'text-positive'],
  ['expired', 'Expired', 'text-muted'],
  ['revoked', 'Revoked', 'text-critical'],
  ['something else', 'Unknown', 'text-muted'],
])('an invitation that is %s says %s', (status, text, color) => {
  const badge = renderToString(<InvitationBadge status={status} />)
  expect(badge).toContain(`>${text}<`)
  expect(badge).toContain(color)
})
