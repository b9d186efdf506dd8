import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { OrganizationPerson } from '../../../schema/api/organization-people.ts'
import { SeatBar } from '../../components/Seats.tsx'
import { SeatState } from './PeopleCard.tsx'
import { actionFor } from './PersonActions.tsx'

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
