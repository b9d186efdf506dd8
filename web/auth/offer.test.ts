import { describe, expect, it } from 'vitest'
import { planOf } from '../../schema/catalogue/sold-plans.ts'
import { offerOf, selectionProblem, withSelection } from './offer.ts'
import { readSelection } from './selection.ts'

const terms = {
  isNewAccount: true,
  formatMoney: (amountMinor: number, currency: string) =>
    new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amountMinor / 100),
}
const offer = (query: string, changes: Partial<typeof terms> = {}) =>
  offerOf(readSelection(new URLSearchParams(query)), { ...terms, ...changes })

describe('what a plan will cost', () => {
  it.each([
    ['plan=pro', 'Pro, 14 days free, then €20.00 a month'],
    ['plan=pro&billing=yearly&currency=USD', 'Pro, 14 days free, then $192.00 a year'],
    ['plan=pro&currency=CHF', 'Pro, 14 days free, then €20.00 a month'],
    ['plan=teams', 'Teams, €30.00 a month'],
    ['plan=teams&seats=5&currency=GBP', 'Teams, 5 seats, £150.00 a month'],
    ['plan=teams&seats=3&billing=yearly', 'Teams, 3 seats, €864.00 a year'],
  ])('%s: %s', (query, sentence) => {
    expect(offer(query)?.sentence).toBe(sentence)
  })

  it.each(['', 'plan=starter', 'plan=starter&seats=4'])(
    'says nothing where nothing is bought: %j',
    (query) => {
      expect(offer(query)).toBeNull()
    },
  )

  it('an offer names no certain trial to a user who may have had it', () => {
    expect(offer('plan=pro', { isNewAccount: false })?.sentence).toBe(
      'Pro, 14 days free if it is your first, then €20.00 a month',
    )
  })

  it('an offer counts the credits of all seats', () => {
    expect(offer('plan=teams&seats=3')?.includedCredits).toBe(1500)
  })
})

describe('a selection that cannot be bought', () => {
  const problem = (query: string) => selectionProblem(new URLSearchParams(query), { maximum_seats: 20 })

  it.each([
    ['plan=enterprise', { kind: 'unknown_plan' }],
    ['plan=teams&seats=21', { kind: 'seats_out_of_range', nearest: 20, most: 20 }],
    ['plan=teams&seats=99999999999999999999', { kind: 'seats_out_of_range', nearest: 20, most: 20 }],
    ['plan=teams&seats=0', { kind: 'seats_out_of_range', nearest: 1, most: 20 }],
    ['plan=pro&seats=-4', { kind: 'seats_out_of_range', nearest: 1, most: 20 }],
    ['plan=pro&seats=3', { kind: 'one_seat_only', plan: planOf('pro'), seats: 3 }],
  ])('%s', (query, expected) => {
    expect(problem(query)).toEqual(expected)
  })

  it.each([
    '',
    'plan=',
    'plan=starter&seats=400',
    'plan=pro',
    'plan=pro&seats=1',
    'plan=teams&seats=20',
    'plan=teams&seats=many',
  ])('an offer has no problem: %j', (query) => {
    expect(problem(query)).toBeNull()
  })

  it('an invalid selection is corrected without losing the rest of the URL', () => {
    const search = new URLSearchParams('plan=pro&seats=3&redirect_url=/a?b=c&billing=yearly')
    expect(Object.fromEntries(new URLSearchParams(withSelection(search, { plan: 'teams' })))).toEqual({
      plan: 'teams',
      seats: '3',
      redirect_url: '/a?b=c',
      billing: 'yearly',
    })
    expect(new URLSearchParams(withSelection(search, { seats: null })).has('seats')).toBe(false)
  })
})
