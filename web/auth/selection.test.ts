import { describe, expect, it } from 'vitest'
import { offeredCurrency, readSelection } from './selection.ts'

const read = (search: string) => readSelection(new URLSearchParams(search))

describe('readSelection', () => {
  it('defaults to no plan, monthly, no currency and one seat', () => {
    expect(read('')).toEqual({ plan: null, billing: 'monthly', currency: null, seats: 1 })
  })

  it('readSelection reads a whole selection', () => {
    expect(read('plan=teams&billing=yearly&currency=GBP&seats=12')).toEqual({
      plan: 'teams',
      billing: 'yearly',
      currency: 'GBP',
      seats: 12,
    })
  })

  it.each(['CHF', 'eur', '', 'EUR '])('readSelection knows no currency %j', (currency) => {
    expect(read(new URLSearchParams({ currency }).toString()).currency).toBeNull()
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

describe('offeredCurrency', () => {
  it.each([
    [null, '', 'EUR', false],
    ['USD', '', 'USD', false],
    [null, 'GBP', 'GBP', false],
    ['USD', 'GBP', 'USD', false],
    ['USD', 'GBP bound', 'GBP', true],
    [null, 'JPY bound', 'EUR', false],
  ] as const)('offers for the asked %j and the remembered %j %s', (asked, remembered, currency, is_bound) => {
    expect(offeredCurrency(asked, remembered)).toEqual({ currency, is_bound })
  })
})
