import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { day } from '../../../tests/support/facts.ts'
import { fetchBills, paidInvoiceOf } from './paid-lines.ts'

const at = (text: string) => day(text).getTime() / 1000
const item = (proration: boolean) => ({
  subscription_item_details: { proration, subscription: 'sub_1', subscription_item: 'si_plan' },
  invoice_item_details: null,
})
const invoiceItem = (proration: boolean) => ({
  subscription_item_details: null,
  invoice_item_details: { proration, subscription: 'sub_1' },
})
const plan = { item_id: 'si_plan', product_id: 'plan_teams' }
const pricing = { price_details: { product: plan.product_id } }
function line(amount: number, quantity: number | null, fields: Record<string, unknown> = {}) {
  return {
    amount,
    quantity,
    period: { start: at('2026-01-11'), end: at('2026-02-01') },
    parent: item(true),
    pricing,
    ...fields,
  }
}
const month = line(6000, 3, {
  period: { start: at('2026-01-01'), end: at('2026-02-01') },
  parent: item(false),
})
const invoice = {
  id: 'in_1',
  currency: 'eur',
  total: 6000,
  pre_payment_credit_notes_amount: 0,
  amount_paid: 6000,
  created: at('2026-01-01'),
  status_transitions: { paid_at: at('2026-01-02') },
}
const read = (lines: unknown[], fields: Record<string, unknown> = {}) =>
  paidInvoiceOf({ ...invoice, ...fields }, lines, plan)
/** Each change as [seats before, after]. */
const changes = (...lines: unknown[]) =>
  read(lines)
    .lines.filter(({ kind }) => kind === 'seats')
    .map(({ seats_before, seats }) => [seats_before, seats])

describe('a paid invoice', () => {
  test('a paid invoice costs what a credit note before the payment has left of it', () => {
    const forgiven = { pre_payment_credit_notes_amount: 4500, amount_paid: 1500 }
    expect(read([month], forgiven)).toMatchObject({ total_minor: 1500, amount_paid_minor: 1500 })
  })

  test('a paid invoice has the period of the subscription’s own item', () => {
    expect(read([month])).toEqual({
      id: 'in_1',
      currency: 'EUR',
      total_minor: 6000,
      amount_paid_minor: 6000,
      paid_at: day('2026-01-02'),
      lines: [
        {
          invoice_id: 'in_1',
          kind: 'period',
          starts_at: day('2026-01-01'),
          ends_at: day('2026-02-01'),
          seats: 3,
          seats_before: null,
          amount_minor: 6000,
          paid_at: day('2026-01-02'),
        },
      ],
    })
  })

  test('a paid invoice has no line of another item, but has one of an item that the plan’s has replaced', () => {
    const parent = {
      ...item(false),
      subscription_item_details: { proration: false, subscription_item: 'si_2' },
    }
    const other = { ...month, quantity: 50, parent, pricing: { price_details: { product: 'prod_2' } } }
    expect(read([other, month]).lines).toMatchObject([{ seats: 3 }])
    expect(read([{ ...month, parent }]).lines).toMatchObject([{ seats: 3 }])
    expect(read([other]).lines).toEqual([])
  })

  test('a paid invoice of a manual item has no line: it grants nothing', () => {
    expect(
      read([line(6000, 3, { parent: invoiceItem(false) }), line(6000, 3, { parent: null })]).lines,
    ).toEqual([])
  })

  test('a paid invoice with a coupon for everything has its lines at their price, and a total of nothing', () => {
    expect(read([month], { total: 0, amount_paid: 0 })).toMatchObject({
      total_minor: 0,
      lines: [{ amount_minor: 6000 }],
    })
  })

  test('a paid invoice that a credit balance paid costs its total', () => {
    expect(read([month], { amount_paid: 0 })).toMatchObject({ total_minor: 6000, amount_paid_minor: 0 })
  })

  test('a paid invoice of a trial has a period that costs nothing', () => {
    const trial = { ...month, amount: 0 }
    expect(read([trial], { total: 0, amount_paid: 0 }).lines).toMatchObject([
      { kind: 'period', amount_minor: 0 },
    ])
  })

  test('a paid invoice that does not say when it was paid was paid when it was made', () => {
    expect(read([month], { status_transitions: { paid_at: null } }).paid_at).toEqual(day('2026-01-01'))
  })

  test('a paid invoice has nothing for a change in the very second in which its period ends', () => {
    const period = { start: at('2026-02-01'), end: at('2026-02-01') }
    expect(read([line(10, 5, { period }), line(-10, 3, { period })]).lines).toEqual([])
  })
})

const on20th = { period: { start: at('2026-01-20'), end: at('2026-02-01') } }
const inItem = { parent: invoiceItem(true) }
const inOneSecond = [line(-4000, 3), line(7000, 5), line(-7000, 5), line(9000, 7)]
/** Of a coupon for everything: only `credited_items` says what is credited. */
const free = (credited_items: unknown) => ({
  parent: {
    invoice_item_details: null,
    subscription_item_details: { proration: true, proration_details: { credited_items } },
  },
})

test.each<[string, unknown[], (number | null)[][]]>([
  ['is from what is credited to what is charged', [line(-4000, 3), line(7000, 5)], [[3, 5]]],
  ['is of fewer seats, too', [line(-7000, 5), line(4000, 3)], [[5, 3]]],
  ['stands in prorated invoice items too', [line(-4000, 3, inItem), line(7000, 5, inItem)], [[3, 5]]],
  ['beside another in the same second is from the first number to the last', inOneSecond, [[3, 7]]],
  ['is so in whatever order the lines come', inOneSecond.toReversed(), [[3, 7]]],
  ['and back in the same second is none', [line(-4000, 3), line(7000, 5), line(-7000, 5), line(4000, 3)], []],
  [
    'beside another in another second is a change of its own',
    [line(-4000, 3), line(7000, 5), line(-3500, 5, on20th), line(5000, 7, on20th)],
    [
      [3, 5],
      [5, 7],
    ],
  ],
  [
    'with several credits, as in flexible billing, is to what is charged; the earlier number is unknown',
    [line(-4000, 3), line(-1400, 2), line(9000, 7)],
    [[null, 7]],
  ],
  // From 2 to 4 on the 20th was charged earlier; now there are 7 from the 11th on.
  [
    'with effect from before another one goes on from that one too',
    [line(-1000, 2), line(-3000, 4, on20th), line(9000, 7)],
    [
      [2, 7],
      [4, 7],
    ],
  ],
  ['that is credited and charged alike is of the price, not of seats', [line(-4000, 3), line(7000, 3)], []],
  [
    'under a coupon for everything costs nothing, and is one all the same',
    [line(0, 3, free({ invoice: 'in_0' })), line(0, 5, free(null))],
    [[3, 5]],
  ],
  ['of no number is none', [line(4000, null)], []],
])('a change of seats %s', (_, lines, expected) => {
  expect(changes(...lines)).toEqual(expected)
})

describe('a period whose money goes back', () => {
  const later = { period: { start: at('2026-01-21'), end: at('2026-02-01') } }
  const cuts = (...lines: unknown[]) =>
    read(lines)
      .lines.filter(({ kind }) => kind === 'cut')
      .map(({ starts_at, ends_at }) => [starts_at, ends_at])

  test('a period whose money goes back is cut from the moment of the credit', () => {
    expect(cuts(line(-4000, 3))).toEqual([[day('2026-01-11'), day('2026-02-01')]])
    expect(changes(line(-4000, 3))).toEqual([])
  })

  test('a period whose money goes back after seats were given up, on one invoice, is cut by the rest', () => {
    const lines = [line(-4000, 3), line(2000, 2), line(-1000, 2, later)]
    expect(cuts(...lines)).toEqual([[day('2026-01-21'), day('2026-02-01')]])
    expect(changes(...lines)).toEqual([[3, 2]])
  })

  test('a period whose money goes back in two pieces is cut from the first', () => {
    const first = { period: { start: at('2026-01-11'), end: at('2026-01-21') } }
    expect(cuts(line(-4000, 3, first), line(-7000, 5, later))).toEqual([
      [day('2026-01-11'), day('2026-02-01')],
    ])
  })

  test('a period of which as many seats are charged as are credited is not cut', () => {
    expect(cuts(line(-4000, 3), line(7000, 5))).toEqual([])
    expect(cuts(line(-4000, 3), line(7000, 5), line(-7000, 5), line(4000, 3))).toEqual([])
  })
})

test('lines that do not come with their invoice are asked for, and only those', async () => {
  const asked: string[] = []
  const pages = {
    in_1: { has_more: false, data: [month] },
    in_2: { has_more: true, data: [month] },
  }
  const later = (n: number) =>
    line(2000, n + 1, { period: { start: at('2026-01-02') + n, end: at('2026-02-01') } })
  const stripe = {
    invoices: {
      list: async function* () {
        for (const [id, lines] of Object.entries(pages)) yield { ...invoice, id, status: 'paid', lines }
      },
      listLineItems: async function* (id: string) {
        asked.push(id)
        for (let n = 0; n < 25; n++) yield later(n)
      },
    },
    invoiceItems: { list: async function* () {} },
  } as unknown as Stripe
  const { invoices } = await fetchBills(stripe, { id: 'sub_1', customer_id: 'cus_1', plan })
  expect(invoices.map(({ lines }) => lines.length)).toEqual([1, 25])
  expect(asked).toEqual(['in_2'])
})
