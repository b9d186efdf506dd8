import { expect, test } from 'vitest'
import { disputedMinor } from './statuses.ts'

const dispute = (status: string, ...moved: number[]) => ({
  amount: 700,
  status,
  balance_transactions: moved.map((amount) => ({ amount })),
})

test.each(['needs_response', 'under_review', 'lost', 'appeal_needs_response', 'appeal_under_review'])(
  'a dispute that is %s keeps the money',
  (status) => {
    expect(disputedMinor(dispute(status))).toBe(700)
  },
)

test.each(['won', 'warning_needs_response', 'warning_under_review', 'warning_closed'])(
  'a dispute that is %s keeps none, whatever moved',
  (status) => {
    expect(disputedMinor(dispute(status, -700))).toBe(0)
  },
)

test('a dispute that was prevented keeps the money if it was withdrawn and not brought back', () => {
  expect(disputedMinor(dispute('prevented'))).toBe(0)
  expect(disputedMinor(dispute('prevented', -650))).toBe(700)
  expect(disputedMinor(dispute('prevented', -650, 650))).toBe(0)
})

test.each(['of_the_future', 'constructor', 'toString'])(
  'the state of a subscription with the unknown status %s is unknown',
  (status) => {
    expect(disputedMinor(dispute(status))).toBeNull()
  },
)
