import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { expect, test } from 'vitest'
import { paymentTexts } from '../../../../schema/api/account.ts'
import type { CaseSummary, TraceItem } from '../../../../schema/api/support.ts'
import { ActContext } from '../../../components/support/acts/useAct.ts'
import { CaseSummaryCard } from './CaseSummaryCard.tsx'

const invitation: TraceItem = {
  kind: 'invitation',
  key: 'invitation:1',
  id: '1',
  at: '2026-11-22T00:00:00Z',
  links: { stripe: null, clerk: null },
  data: {
    label: 'd…@example.com',
    status: 'pending',
    expires_at: '2026-12-22T00:00:00Z',
    clerk_invitation_id: null,
    refusal_code: null,
    updated_at: '2026-11-22T00:00:00Z',
    attempts: 5,
    last_error: 'Clerk refused it',
    sync_failed_at: '2026-11-22T00:00:00Z',
    next_try_at: null,
  },
}
const agreed: CaseSummary['comparison'] = {
  state: 'agrees',
  at: '2026-11-22T23:59:30Z',
  outcome: null,
  error: null,
}
const figure = { is: 0, should: 0 }
function show(known: Partial<CaseSummary>): string {
  const case_summary: CaseSummary = {
    as_of: '2026-11-23T00:00:00Z',
    comparison: agreed,
    worker: { heard_at: '2026-11-22T23:59:58Z', is_silent: false },
    unapplied_events: 0,
    notices: [],
    holders: [],
    agrees: (known.failing ?? []).length === 0,
    failing: [],
    plan_type: { is: 'starter', should: 'starter' },
    balance: { plan: figure, purchased: figure, total: figure },
    spendable: { available: 0, held: 0, debt: 0 },
    grants: [],
    seats: null,
    ...known,
  }
  return renderToString(
    <MemoryRouter>
      <ActContext value={() => undefined}>
        <CaseSummaryCard summary={case_summary} owner="user_ada" isClerkAway={false} />
      </ActContext>
    </MemoryRouter>,
  )
}

const countOf = (html: string, text: string) => html.split(text).length - 1

const silent = { heard_at: '2026-11-22T23:40:00Z', is_silent: true }
const refund = {
  kind: 'refund',
  account: 'purchased',
  credits: -500,
  reason: 'Refund',
  grant_id: null,
} as const
const outcome = { changed: true, note: null, transfers: [refund], changes: [] }
const differs = { ...agreed, state: 'late', outcome } as const

test.each<[string, Partial<CaseSummary>, 'positive' | 'caution' | 'critical', string]>([
  ['Stripe agreed within the last minute', {}, 'positive', 'All expected credits are present.'],
  ['what came is not applied', { unapplied_events: 2 }, 'caution', '2 events received and not applied'],
  ['Stripe is asked', { comparison: { ...agreed, state: 'asking' } }, 'caution', 'Asking Stripe …'],
  [
    'Stripe agreed longer ago',
    { comparison: { ...agreed, state: 'late' } },
    'caution',
    '23:59 UTC is not known.',
  ],
  [
    'Stripe is away',
    { comparison: { ...agreed, state: 'failed', error: 'stripe_away' } },
    'caution',
    'What happened at Stripe since 22 November 2026 at 23:59 UTC is not known: Stripe does not answer.',
  ],
  [
    'no worker answers',
    { comparison: { ...agreed, state: 'asking' }, worker: silent },
    'caution',
    'since 22 November 2026 at 23:59 UTC is not known.',
  ],
  ['no worker would say otherwise', { comparison: agreed, worker: silent }, 'caution', 'is not known.'],
  [
    'a debt has to be settled',
    { comparison: agreed, spendable: { available: 0, held: 0, debt: 50 } },
    'caution',
    'No credits are missing, but the first notice below needs attention.',
  ],
  ['Stripe has more', { comparison: differs }, 'critical', 'Not arrived from Stripe: −500 credits: Refund.'],
  [
    'Stripe has more and is asked again',
    { comparison: { ...differs, state: 'asking' } },
    'critical',
    ', and is asked now',
  ],
])('a case is green only while Stripe is known to agree: %s', (_, known, tone, text) => {
  const html = show(known)
  expect(html).toContain(`bg-${tone}-soft`)
  expect(html.replaceAll('\u00a0', ' ')).toContain(text)
  expect(html.includes('All expected credits are present')).toBe(known.comparison === undefined)
  expect(html.includes('Everything that you have paid for is in your account')).toBe(tone === 'positive')
})

test('what explains a complaint is said although the credits agree', () => {
  const charge: TraceItem = {
    kind: 'charge',
    key: 'charge:ch_1',
    id: 'ch_1',
    at: '2026-11-20T00:00:00Z',
    links: { stripe: null, clerk: null },
    data: {
      intent_id: null,
      stripe_invoice_id: null,
      currency: 'EUR',
      amount_minor: 700,
      refunded_minor: 0,
      unused_refund_minor: 0,
      disputed_minor: 700,
      dispute_state: 'lost',
      dispute_state_at: '2026-11-22T00:00:00Z',
      dispute_due_at: null,
      updated_at: '2026-11-22T00:00:00Z',
    },
  }
  const html = show({ notices: [charge] })
  expect(html).toMatch(/<li class.*Dispute lost on 22 November 2026\. It is about €7\.00\./)
  expect(countOf(html, 'To the customer')).toBe(1)
})

const failed = 'Invitation of d…@example.com of 22 November 2026 failed: Clerk refused it.'

test('a single problem is the headline, with its button', () => {
  const html = show({ failing: [invitation] })
  expect(countOf(html, '<li class')).toBe(0)
  expect(html).toContain(`${failed}</p>`)
  expect(html).toContain('aria-keyshortcuts="r"')
})

test('the first of several problems is the headline, with its button, and is not listed again', () => {
  const html = show({ failing: [invitation], plan_type: { is: 'starter', should: 'pro' } })
  expect(countOf(html, '<li class')).toBe(1)
  expect(html).toContain(`${failed} And 1 more thing needs a look.`)
  expect(html).toMatch(/<li class.*The stored plan is Starter, and it should be Pro/)
  expect(html).not.toMatch(/<li class.*Clerk refused it/)
  expect(html).toContain('aria-keyshortcuts="r"')
})

const failedEvent: TraceItem = {
  ...{ kind: 'event', key: 'event:evt_1', id: 'evt_1', at: '2026-11-22T00:00:00Z' },
  links: { stripe: null, clerk: null },
  data: {
    ...{ source: 'stripe', type: 'checkout.session.completed', state: 'failed', reason: 'A defect' },
    ...{ attempts: 1, last_error: null, next_try_at: '2026-11-22T00:00:00Z', unavailable_since: null },
    ...{ occurred_at: '2026-11-22T00:00:00Z', received_via: 'webhook', is_stored: true },
    ...{ object_id: null, intent_id: null, amount_minor: null, currency: null },
  },
}
const missing = { id: 'grant', starts_at: null, subscription_id: null, credits: { is: 0, should: 500 } }
const bought = { ...missing, kind: 'purchase', account: 'purchased', intent: null } as const

test.each<[string, Partial<CaseSummary>, string]>([
  ['a purchase that is under way', { grants: [{ ...bought, event: null }] }, paymentTexts.paid],
  [
    'a purchase whose event failed',
    { grants: [{ ...bought, event: failedEvent }] },
    paymentTexts.under_review,
  ],
  [
    'a month of a plan',
    { grants: [{ ...bought, kind: 'month', account: 'plan', event: null }] },
    'Your balance lacks 500 credits of your plan. We are looking into it.',
  ],
  [
    'another plan',
    { agrees: false, plan_type: { is: 'starter', should: 'pro' } },
    'Your plan is Pro, and your account does not show it yet. We are looking into it.',
  ],
])('the customer is told of %s in the words of their own pages, to be copied', (_, known, tell) => {
  const html = show(known)
  expect(html).toContain(`To the customer: “<!-- -->${tell}`)
  expect(html).toContain(`Copy</span><span class="sr-only">: <!-- -->${tell}`)
})

test('credits that are too many have nothing to tell the customer', () => {
  const html = show({ grants: [{ ...bought, event: null, credits: { is: 500, should: 0 } }] })
  expect(html).toContain('500 credits of the purchase')
  expect(html).not.toContain('To the customer')
})

test.each([
  ['a kind', { kind: 'wire', key: 'wire:1' }],
  ['a form', { data: { label: 1 } }],
])('an item of %s that this version does not know is shown by its kind and id', (_, other) => {
  const item = { ...invitation, ...other }
  const html = show({ failing: [item], notices: [item] })
  expect(html).toMatch(/(Wire|Invitation) 1 of 22 November 2026 .*: This version of the page cannot show it/)
})
