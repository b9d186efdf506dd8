import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { expect, test } from 'vitest'
import { WebConfigContext } from '../../../api/catalogue.ts'
import { ApiFailure } from '../../../api/failure.ts'
import { testConfig } from '../../../testing/config.ts'
import { PurchaseView } from './PurchaseView.tsx'
import type { PlanPurchase } from './purchase.ts'

type Shown = Omit<Parameters<typeof PurchaseView>[0], 'page'> & { page?: 'payment' | 'billing' }

const pro: PlanPurchase = {
  plan_type: 'pro',
  billing: 'monthly',
  seats: 1,
  currency: 'EUR',
  price_minor: 2000,
  trial: false,
}
const team: PlanPurchase = { ...pro, plan_type: 'teams', seats: 3, price_minor: 9000 }
const balance = { total: 640, available: 640, held: 0 }
const applied = { kind: 'applied', credits: 500, balance, amount_minor: 2000, currency: 'EUR' } as const

/** What a reader sees, without markup. */
function show({ page = 'payment', ...shown }: Shown): string {
  const html = renderToString(
    <QueryClientProvider client={new QueryClient()}>
      <WebConfigContext value={testConfig}>
        <MemoryRouter>
          <PurchaseView page={page} {...shown} />
        </MemoryRouter>
      </WebConfigContext>
    </QueryClientProvider>,
  )
  return html
    .replaceAll(/<(li|dt|h\d)[^>]*aria-current="step"[^>]*>/g, ' [now] ')
    .replaceAll(/<!-- -->/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}

test('an order shows its steps as they happen', () => {
  expect(show({ progress: { kind: 'verifying' } })).toContain('[now] Paid Received by Tidemark Queued')
  const paid = (stage: 'received' | 'queued') =>
    show({ progress: { kind: 'paid', pace: 'usual', stage }, page: 'billing' })
  expect(paid('received')).toContain('Paid : done Received by Tidemark : done [now] Queued In your balance')
  expect(paid('queued')).toContain('Queued : done [now] In your balance')
  expect(paid('queued')).toContain('Verifying Payment...')
})

test('a trial is ordered, not paid, and a team’s credits go to its pool', () => {
  const progress = { kind: 'paid', pace: 'usual', stage: 'queued' } as const
  expect(show({ progress, plan: { ...pro, trial: true } })).toContain('Order placed : done')
  expect(show({ progress, plan: team })).toContain('[now] In your organization’s pool')
})

test('a settlement that could not be asked for is no loss, and is said as long as it matters', () => {
  const settlementError = new ApiFailure({ status: 0, code: 'unreachable', text: null })
  const waiting = show({ progress: { kind: 'paid', pace: 'usual', stage: 'received' }, settlementError })
  expect(waiting).toContain('Failed to process payment')
  expect(waiting).toContain('Nothing is lost, and you do not need to pay again.')
  expect(show({ progress: applied, settlementError })).not.toContain('Failed to process payment')
})

test('an unverified purchase says so on the page of payments, and what becomes of the credits on theirs', () => {
  const progress = (text: string | null) =>
    ({ kind: 'unverified', error: new ApiFailure({ status: 502, code: 'x', text }) }) as const
  expect(show({ progress: progress(null) })).toContain('Failed to verify payment status')
  expect(show({ progress: progress('Too many requests.') })).toContain('Too many requests.')
  expect(show({ progress: progress(null) })).toMatch(/If you paid, nothing is lost.* Return to Pricing/)
  expect(show({ progress: progress('Failed to verify payment status'), page: 'billing' })).toContain(
    'Verification Error Could not verify payment status, but your credits should be added shortly.',
  )
})

test('a long wait says that nothing is lost and whom to ask', () => {
  const overdue = show({ progress: { kind: 'paid', pace: 'overdue', stage: 'queued' }, page: 'billing' })
  expect(overdue).toContain('They are not lost')
  expect(overdue).toContain(testConfig.brand.support_email)
})

test('a payment that was taken leads to its receipt, and a trial has none yet', () => {
  expect(show({ progress: applied, plan: pro })).toContain('Invoices and receipts')
  expect(show({ progress: applied, plan: { ...pro, trial: true } })).not.toContain('receipt')
})

test('a team with more than one seat is set up here, and no other plan', () => {
  const shown = (seats: number) =>
    show({ progress: applied, plan: { ...team, seats }, subscriptionId: 'sub_1' })
  expect(shown(3)).toContain('Team Setup')
  expect(shown(3)).toContain('You can invite 2 more people')
  expect(shown(3)).toContain('Invite Team Members')
  expect(shown(1)).not.toContain('Team Setup')
  expect(shown(1)).toContain('Seats 1')
})

test('credits that were bought for a pool, or while some are reserved, show the balance as it is', () => {
  expect(show({ progress: applied, page: 'billing', pooled: true })).toContain('New balance of the pool 640')
  const held = { ...applied, balance: { total: 640, available: 565, held: 75 } }
  expect(show({ progress: held, page: 'billing' })).toContain('New balance 565 available · 75 reserved')
})
