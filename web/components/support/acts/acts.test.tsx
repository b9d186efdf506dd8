import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { ActOutcome, SupportAct } from '../../../../schema/api/support-acts.ts'
import { actsOn, actWords, outcomeText, readMoney, whyNothing } from '../../../content/support/acts.ts'
import { readAmount } from './ActDialog.tsx'
import { Changes } from './Changes.tsx'
import { changesOf, summaryOf } from './outcome.ts'

const nothing: ActOutcome = {
  changed: false,
  note: 'The event was applied before',
  transfers: [],
  changes: [],
}

const purchase: ActOutcome = {
  ...nothing,
  changed: true,
  note: null,
  transfers: [
    {
      kind: 'credit_purchase',
      account: 'purchased',
      credits: 500,
      reason: 'Credit purchase',
      grant_id: 'grant',
    },
  ],
  changes: [
    { what: 'balance', id: null, before: 1000, after: 1500 },
    { what: 'plan', id: null, before: null, after: 'pro' },
    { what: 'seats_reserved', id: null, before: 0, after: 1 },
    { what: 'event', id: 'evt_1', before: 'failed', after: 'applied' },
  ],
}

const act = (outcome: ActOutcome | null, more: Partial<SupportAct> = {}): SupportAct => ({
  id: '00000000-0000-4000-8000-000000000001',
  batch_id: null,
  finding_id: null,
  kind: 'replay',
  target: { kind: 'event', id: 'evt_1' },
  owner: null,
  params: {},
  reason: 'The bug is repaired',
  is_dry_run: false,
  state: outcome ? 'done' : 'failed',
  requested_by: { id: 'user_1', name: 'Sam' },
  requested_at: '2026-11-22T12:00:00.000Z',
  approved_by: null,
  refused_by: null,
  outcome,
  error: outcome ? null : 'It failed.',
  is_unavailable: false,
  last_error: null,
  ...more,
})

test('the changes are listed line by line, credits first, each with what it was and is', () => {
  expect(changesOf(purchase).map(({ what, change }) => `${what}: ${change}`)).toEqual([
    'Purchased credits: +500 credits',
    'Balance: 1,000 → 1,500',
    'Plan: none → Pro',
    'Seats reserved: 0 → 1',
    'Event: Failed → Applied',
  ])
  expect(renderToString(<Changes kind="replay" outcome={purchase} />)).toContain('Credit purchase')
  expect(changesOf(nothing)).toEqual([])
  expect(renderToString(<Changes kind="replay" outcome={nothing} />)).toBe('')
})

test('an erasure lists what goes, what stays and what is left to do', () => {
  const erasure = { removed: { profile: 1, tokens: 0, payloads: 12 }, customers: ['cus_1'], credits: 500 }
  const html = renderToString(<Changes kind="forget" outcome={{ ...nothing, changed: true, erasure }} />)
  expect(html).toMatch(/the account at Clerk.*1 row<.*Payloads of events.*12 rows<.*500 credits.*cus_1/)
  expect(html).not.toContain('Sign-ins of editors')
})

test('an act without changes says so, with the reason', () => {
  expect(whyNothing(nothing)).toBe('The event was applied before.')
  expect(outcomeText('replay', nothing)).toBe('Nothing changed. The event was applied before.')
})

const some = { ...nothing, changed: true }
const erasure = { removed: { profile: 0, payloads: 12 }, customers: ['cus_1'], credits: 0 }
const invoice = { total_minor: 700, currency: 'EUR', refusal: 'Your card was declined.' }

test.each([
  ['replay', purchase, '+500 credits: Credit purchase. Plan: none → pro. Event: failed → applied.'],
  ['resend_invitation', some, 'The invitation is sent again.'],
  [
    'invoice_changes',
    { ...some, invoice },
    'Stripe makes an invoice of the changes: 7.00 EUR. It is open, because the payment failed: Your card was declined.',
  ],
  [
    'refund',
    {
      ...some,
      changes: [{ what: 'refunded', id: 'ch_1', before: '0.00 EUR', after: '5.00 EUR, pending at Stripe' }],
    },
    'Refunded: 0.00 EUR → 5.00 EUR, pending at Stripe.',
  ],
  [
    'forget',
    { ...some, erasure },
    'What came later is erased. Removed or replaced: payloads: 12. At Stripe a person has to redact cus_1.',
  ],
])('what the act %s did is said in a line', (kind, outcome, text) => {
  expect(outcomeText(kind, outcome)).toBe(text)
})

test('many acts are summed up in a sentence, before and after they are done', () => {
  expect(summaryOf([act(purchase), act(nothing), act(null)], 1)).toBe(
    '4 items: 1 changed something, 1 changed nothing, 1 failed, 1 refused. +500 credits in all.',
  )
  const dry = { is_dry_run: true }
  expect(summaryOf([act(purchase, dry), act(purchase, dry)], 0)).toBe(
    '2 items: 2 would change something. +1,000 credits in all.',
  )
  expect(summaryOf([act(purchase), act(null, { state: 'cancelled' })], 0)).toBe(
    '2 items: 1 changed something, 1 cancelled. +500 credits in all.',
  )
  expect(summaryOf([act(null, { state: 'waiting_for_approval' })], 0)).toBe(
    '1 item: 1 waiting for a second person.',
  )
})

const settled = { state: 'settled', plan_type: null, amount_minor: 2000, currency: 'EUR' }

test.each([
  ['intent', { ...settled, refunded_minor: 0 }, 2000],
  ['intent', { ...settled, refunded_minor: 1999 }, 1],
  ['intent', { ...settled, refunded_minor: 2000 }, undefined],
  ['intent', { ...settled, refunded_minor: 0, state: 'awaiting_payment' }, undefined],
  ['intent', { ...settled, refunded_minor: 0, plan_type: 'pro' }, undefined],
  ['invoice', { amount_paid_minor: 900, refunded_minor: 100, currency: 'GBP' }, 800],
  ['invoice', { amount_paid_minor: 0, refunded_minor: 0, currency: 'GBP' }, undefined],
  ['charge', { ...settled, refunded_minor: 0 }, undefined],
])('an item %s of %j has %s left to refund', (kind, data, left) => {
  const item = { kind, data, key: `${kind}:1`, id: '1', at: '', links: { stripe: null, clerk: null } }
  expect(actsOn(item).includes('refund')).toBe(left !== undefined)
  expect(actWords.refund.paramsOf?.(item).refund?.amount_minor).toBe(left)
})

test.each([
  ['5', 500],
  ['5.5', 550],
  [' 5,05 ', 505],
  ['0.01', 1],
  ['5.005', undefined],
  ['-5', undefined],
  ['', undefined],
  ['1.000,00', undefined],
])('money written as “%s” is %s minor units', (text, minor) => {
  expect(readMoney(text)).toBe(minor)
})

test.each([
  ['500', 500],
  [' 1,500 ', 1500],
  ['−40', -40],
  ['+7', 7],
  ['1 000', 1000],
  ['', undefined],
  ['ten', undefined],
  ['-', undefined],
])('an amount written as “%s” is %s', (text, amount) => {
  expect(readAmount(text)).toBe(amount)
})
