import { expect, test } from 'vitest'
import { seatsOf } from './seats.ts'

const seats = (seats_used: number, seats_total: number, notice: string | null = null) =>
  seatsOf(
    { seats: [], seats_used, seats_total, over_limit: seats_used > seats_total, notice },
    { maximum_seats: 100 },
  )

test.each([
  [4, 5, null],
  [9, 10, 'Approaching Seat Limit'],
  [10, 10, 'All Seats Used'],
])('with %i of %i seats in use the admin reads: %s', (used, total, title) => {
  expect(seats(used, total).notice?.title ?? null).toBe(title)
})

test('one seat that is left is one, and two are several', () => {
  expect(seats(9, 10).notice?.text).toBe('One seat is left. Add more before the next person joins.')
  expect(seats(18, 20).notice?.text).toBe('2 seats are left. Add more before the next person joins.')
})

test('above the limit the server says why', () => {
  expect(seats(6, 5, '6 seats are in use').notice).toEqual({ tone: 'caution', text: '6 seats are in use' })
  expect(seats(6, 5, '6 seats are in use')).toMatchObject({ free: 0, isFull: true })
})

test('seats are sold up to a hundred, and only with a subscription', () => {
  expect(seats(1, 99).isBuyable).toBe(true)
  expect(seats(1, 100).isBuyable).toBe(false)
  expect(seats(1, 0).isBuyable).toBe(false)
})

test('an organization that never had a seat has no plan', () => {
  expect(seats(0, 0).hasPlan).toBe(false)
  expect(seats(2, 0).hasPlan).toBe(true)
})
