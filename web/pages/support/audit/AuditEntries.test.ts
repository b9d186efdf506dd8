import { expect, test } from 'vitest'
import { differencesOf } from './AuditEntries.tsx'

test('the list contains only changed fields, by their place', () => {
  expect(
    differencesOf(
      { balance: 0, plan: 'pro', seats: { total: 3, active: 1 } },
      { balance: 500, plan: 'pro', seats: { total: 5, active: 1 } },
    ),
  ).toEqual([
    { what: 'balance', before: '0', after: '500' },
    { what: 'seats total', before: '3', after: '5' },
  ])
})

test('a field that was not there before is shown as none, and a row is known by its id', () => {
  expect(differencesOf(null, { states: [{ id: 'evt_1', state: 'applied' }] })).toEqual([
    { what: 'states evt 1 id', before: 'none', after: 'evt_1' },
    { what: 'states evt 1 state', before: 'none', after: 'applied' },
  ])
  expect(differencesOf(null, null)).toEqual([])
})
