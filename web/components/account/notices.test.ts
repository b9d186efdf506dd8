import { expect, test } from 'vitest'
import { renewalTexts } from '../../../schema/api/account.ts'
import { noCredits, summaryWith } from '../../testing/account.ts'
import { noticesOf } from './notices.ts'

const now = '2026-03-01T12:00:00.000Z'

const declined = {
  needs_confirmation: false,
  url: 'https://invoice.stripe.com/i/1',
  amount_minor: 2000,
  decline_reason: 'insufficient funds',
  declined_at: '2026-02-28T12:00:00.000Z',
  next_attempt_at: '2026-03-07T12:00:00.000Z',
}

const nothingKnown = {
  needs_confirmation: false,
  url: null,
  amount_minor: null,
  decline_reason: null,
  declined_at: null,
  next_attempt_at: null,
}

const titles = (...[changes]: Parameters<typeof summaryWith>) =>
  noticesOf(summaryWith(changes)).map(({ title }) => title)

const trial = (trial_end: string) => ({ subscription: { status: 'trialing', trial_end } }) as const
const credits = (available: number, held = 0) => ({ available, held, total: available + held, low: true })

test.each<[string, Parameters<typeof summaryWith>[0], string[]]>([
  ['all is well', {}, []],
  ['a plan is paid', { subscription: {} }, []],
  ['it is new and has no credits', { balance: noCredits }, []],
  ['a plan has ended', { subscription: { status: 'canceled', cancel_at: now, ended_at: now } }, []],
  ['credits run low', { balance: credits(99) }, ['You have 99 credits left']],
  ['credits ran out', { balance: credits(0) }, ['You have no credits left']],
  ['others are on the way', { balance: credits(99), credits_on_the_way: 1000 }, []],
  ['most are reserved', { balance: credits(10, 75) }, ['You have 85 credits left, 75 of them reserved']],
  [
    'three days of a trial are left',
    trial('2026-03-04T12:00:00.000Z'),
    ['The free trial of Pro ends on Mar 4, 2026'],
  ],
  ['more of a trial is left', trial('2026-03-04T12:00:01.000Z'), []],
])('an account in which %s has the right notices', (_what, changes, expected) => {
  expect(titles(changes)).toEqual(expected)
})

test('credits that ran out while the plan is renewed are no reason for alarm', () => {
  const balance = credits(0)
  for (const renewal of ['usual', 'late'] as const) {
    const [notice] = noticesOf(summaryWith({ balance, subscription: {}, renewal }))
    const text = renewalTexts[renewal]
    expect(notice).toMatchObject({ tone: 'info', title: 'You have no credits left', text })
  }
  expect(titles({ subscription: {}, renewal: 'usual' })).toEqual([])
})

test.each([
  {
    what: 'is known to go on without a payment',
    lapses_at: '2026-03-20T12:00:00.000Z',
    title: 'Pro is paid for until Mar 20, 2026',
    text: 'No payment is planned; support can say why. From then on no plan credits are added until a payment is made. Purchased credits stay usable.',
  },
  {
    what: 'has gone on without a payment',
    lapses_at: '2026-02-20T12:00:00.000Z',
    title: 'Pro has not been paid for since Feb 20, 2026',
    text: 'No payment is planned; support can say why. No plan credits are added until a payment is made. Purchased credits stay usable.',
  },
])('the owner of a plan that $what is told until when it is paid for, and promised no payment', (told) => {
  const { lapses_at, title, text } = told
  expect(noticesOf(summaryWith({ subscription: { lapses_at } }))).toMatchObject([
    { id: 'lapsed', title, text },
  ])
})

test('the owner of a plan whose tax needs an address is asked for one', () => {
  const subscription = { lacks_tax_location: true }
  expect(noticesOf(summaryWith({ subscription }))).toMatchObject([
    { id: 'no_address', actions: [{ leadsTo: 'portal', label: 'Add address' }] },
  ])
})

test('a debt is named with its reason', () => {
  const notices = noticesOf(summaryWith({ balance: { total: -40, available: 0, held: 0, low: true } }))
  expect(notices).toMatchObject([{ id: 'debt', tone: 'critical', actions: [{ leadsTo: 'credits' }] }])
})

test('a payment that was declined comes first, with its amount, its day, the day it is tried again, the card and the invoice', () => {
  const notices = noticesOf(
    summaryWith({
      subscription: { status: 'past_due' },
      overdue: declined,
      balance: credits(0),
    }),
  )
  expect(notices.map(({ id }) => id)).toEqual(['past_due', 'low_balance'])
  expect(notices[0]).toMatchObject({
    tone: 'caution',
    title: '€20.00 for Pro was declined on Feb 28, 2026: insufficient funds',
    text: 'Update the card by Mar 7, 2026, when it is charged again, to keep Pro. No plan credits are added until it is paid.',
    actions: [
      { leadsTo: 'card', label: 'Update card' },
      { leadsTo: 'stripe', url: declined.url, label: 'Pay now' },
    ],
  })
})

test('a payment that was declined names the card that another one took the place of, and offers to pay with it', () => {
  const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034 }
  const summary = summaryWith({ subscription: { status: 'past_due' }, overdue: declined })
  const [notice] = noticesOf(summary, { payment: null, card, card_declined: false })
  expect(notice).toMatchObject({
    text: 'Visa •••• 4242 is charged on Mar 7, 2026. No plan credits are added until it is paid.',
    actions: [
      { leadsTo: 'payment', label: 'Pay now with Visa •••• 4242' },
      { leadsTo: 'card', label: 'Update card' },
    ],
  })
  const [same] = noticesOf(summary, { payment: null, card, card_declined: true })
  expect(same).toEqual(noticesOf(summary)[0])
})

test('a declined payment of which less is known says less', () => {
  const [notice] = noticesOf(summaryWith({ subscription: { status: 'unpaid' }, overdue: nothingKnown }))
  expect(notice).toMatchObject({
    tone: 'critical',
    title: 'The last payment for Pro was declined',
    text: 'Update the card and pay now to keep Pro. No plan credits are added until it is paid.',
    actions: [{ leadsTo: 'card', label: 'Update card' }],
  })
})

test('a cancelled plan says when it ends, and nothing of its trial', () => {
  const cancel_at = '2026-03-03T12:00:00.000Z'
  expect(titles({ subscription: { status: 'trialing', trial_end: cancel_at, cancel_at } })).toEqual([
    'Pro ends on Mar 3, 2026',
  ])
})

test('a plan that ends because its organization has no administrator says who helps', () => {
  const summary = summaryWith({ subscription: { plan_type: 'teams', cancel_at: '2026-03-03T12:00:00.000Z' } })
  const [notice] = noticesOf({ ...summary, may_manage: false, lacks_admin: true })
  expect(notice).toMatchObject({
    title: 'Teams ends on Mar 3, 2026',
    text: expect.stringMatching(/no administrator any more\. Write to support/),
    actions: [],
  })
})

test('the end of a trial names the first payment once that is known', () => {
  const trial_end = '2026-03-04T12:00:00.000Z'
  const summary = summaryWith({ subscription: { status: 'trialing', trial_end } })
  const payment = { amount_minor: 2000, currency: 'EUR', at: trial_end, overdue: false } as const
  expect(noticesOf(summary, { payment, card: null, card_declined: false })[0]?.text).toMatch(
    /^The first payment, €20.00, is taken on that day/,
  )
  expect(noticesOf(summary)[0]?.text).toMatch(/^The first payment is taken on that day/)
})

test('a member is told whom to ask, and given no way that is closed to them', () => {
  const notices = noticesOf(
    summaryWith({
      payer: 'org_1',
      may_manage: false,
      subscription: { plan_type: 'teams', status: 'past_due' },
      overdue: nothingKnown,
      balance: credits(0),
    }),
  )
  expect(notices.map(({ actions }) => actions)).toEqual([[], []])
  expect(notices[0]?.text).toContain('administrator')
  expect(notices[1]).toMatchObject({
    title: 'Your organization has no credits left',
    text: expect.stringContaining('Ask an administrator'),
  })
})

test('a payment that does not match its order is told of', () => {
  const payment = {
    id: '1',
    kind: 'credit_purchase',
    plan_type: null,
    credits: 500,
    amount_minor: 700,
    currency: 'EUR',
    reason: 'We are looking into it',
    created_at: now,
  } as const
  expect(titles({ payments: [{ ...payment, state: 'under_review' }] })).toEqual([
    'A payment is being looked into',
  ])
  expect(titles({ payments: [{ ...payment, state: 'failed' }] })).toEqual([])
})

test('a payment that the bank wants confirmed leads to its page, and a member is told who can do it', () => {
  const overdue = { ...declined, needs_confirmation: true, decline_reason: null }
  const [mine] = noticesOf(summaryWith({ subscription: { status: 'past_due' }, overdue }))
  expect(mine).toMatchObject({
    title: '€20.00 for Pro has to be confirmed',
    actions: [{ leadsTo: 'stripe', url: overdue.url, label: 'Confirm payment' }],
  })
  const [members] = noticesOf(
    summaryWith({
      may_manage: false,
      subscription: { plan_type: 'teams', status: 'past_due' },
      overdue: { ...nothingKnown, needs_confirmation: true },
    }),
  )
  expect(members).toMatchObject({ text: expect.stringContaining('asks an administrator'), actions: [] })
})

test('a member of a team without a seat is told so, and an admin is not', () => {
  const without = {
    payer: 'org_1',
    organization_name: 'Harbour',
    plan_type: 'teams',
    may_manage: false,
  } as const
  const idsOf = (changes: Parameters<typeof summaryWith>[0]) =>
    noticesOf(summaryWith({ ...without, ...changes })).map(({ id }) => id)
  expect(noticesOf(summaryWith(without))[0]?.title).toBe('You have no seat in Harbour yet')
  expect(idsOf({ has_seat: true })).not.toContain('no_seat')
  expect(idsOf({ may_manage: true })).not.toContain('no_seat')
  // Without a plan there is no seat to be had.
  expect(idsOf({ plan_type: 'starter' })).not.toContain('no_seat')
})
