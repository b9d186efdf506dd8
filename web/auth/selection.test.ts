import { describe, expect, it } from 'vitest'
import { readSelection } from './selection.ts'

const read = (search: string) => readSelection(new URLSearchParams(search))

describe('readSelection', () => {
  it('defaults to no plan, monthly, EUR and one seat', () => {
    expect(read('')).toEqual({ plan: null, billing: 'monthly', currency: 'EUR', seats: 1 })
  })

  it('readSelection reads a whole selection', () => {
    expect(read('plan=teams&billing=yearly&currency=GBP&seats=12')).toEqual({
      plan: 'teams',
      billing: 'yearly',
      currency: 'GBP',
      seats: 12,
    })
  })

  it.each(['CHF', 'eur', '', 'EUR '])('readSelection falls back to EUR for the currency %j', (currency) => {
    expect(read(new URLSearchParams({ currency }).toString()).currency).toBe('EUR')
  })

  it.each(['weekly', '', 'YEARLY'])('readSelection falls back to monthly for the billing %j', (billing) => {
    expect(read(`billing=${billing}`).billing).toBe('monthly')
  })

  it.each([
    ['3.7', 3],
    ['12abc', 12],
    ['', 1],
    ['many', 1],
    ['0', 1],
    ['-4', 1],
    ['99999999999999999999', 1],
  ])('readSelection parses the seats %j as %i', (text, seats) => {
    expect(read(`seats=${text}`).seats).toBe(seats)
  })

  it.each(['enterprise', 'PRO', 'toString', '__proto__'])(
    'readSelection ignores the unknown plan %j',
    (plan) => {
      expect(read(`plan=${plan}`).plan).toBeNull()
    },
  )
})
