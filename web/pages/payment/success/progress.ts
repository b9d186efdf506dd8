import type { getSessionStatus } from '../../../../schema/api/checkout.ts'
import type { ResponseOf } from '../../../../schema/api/endpoint.ts'
import type { Currency } from '../../../../schema/catalogue/currency.ts'
import { isStatus } from '../../../api/failure.ts'

type SessionStatus = ResponseOf<typeof getSessionStatus>['data']

/** After this long the page explains that credits can take a few minutes. */
const slowAfterMs = 15_000
/** After this long the page stops polling and asks the user to contact support. */
const overdueAfterMs = 10 * 60_000
const firstPollMs = 1000
const longestPollMs = 20_000

/** Every state that a purchase can be in when the buyer returns from the payment page. */
export type PurchaseProgress =
  | { kind: 'verifying' }
  | { kind: 'paid'; pace: 'usual' | 'slow' | 'overdue'; stage: SessionStatus['fulfilment']['stage'] }
  | { kind: 'bank_pending' }
  | { kind: 'not_paid' }
  | {
      kind: 'applied'
      credits: number
      balance: Pick<SessionStatus['fulfilment'], 'available' | 'held'> & { total: number }
      amount_minor: number
      currency: Currency
    }
  | { kind: 'failed' }
  | { kind: 'expired' }
  | { kind: 'not_found' }
  | { kind: 'unverified'; error: unknown }

export type AppliedPurchase = Extract<PurchaseProgress, { kind: 'applied' }>

interface Observation {
  status: SessionStatus | undefined
  error: unknown
  /** Since the page started polling. */
  elapsed_ms: number
}

/** Success means that the ledger has the credits. Stripe's status only explains the wait. */
export function purchaseProgress({ status, error, elapsed_ms }: Observation): PurchaseProgress {
  if (!status) {
    if (isStatus(error, 404)) return { kind: 'not_found' }
    return error ? { kind: 'unverified', error } : { kind: 'verifying' }
  }
  const { state, stage, credits, balance: total, available, held } = status.fulfilment
  if (state === 'applied') {
    const balance = { total, available, held }
    return { kind: 'applied', credits, balance, amount_minor: status.amount_total, currency: status.currency }
  }
  if (state === 'failed' || state === 'expired') return { kind: state }
  if (status.status === 'expired') return { kind: 'expired' }
  if (status.status === 'open') return { kind: 'not_paid' }
  if (status.payment_status === 'unpaid') return { kind: 'bank_pending' }
  if (elapsed_ms >= overdueAfterMs) return { kind: 'paid', pace: 'overdue', stage }
  return { kind: 'paid', pace: elapsed_ms >= slowAfterMs ? 'slow' : 'usual', stage }
}

/** The pause before the next poll; `false` when the answer is final or the wait too long. */
export function nextPollMs(progress: PurchaseProgress, elapsed_ms: number): number | false {
  if (elapsed_ms >= overdueAfterMs) return false
  switch (progress.kind) {
    case 'applied':
    case 'failed':
    case 'expired':
    case 'not_found':
      return false
    default:
      // An eighth of the time waited so far: fast at first, without loading the server later.
      return Math.min(Math.max(firstPollMs, elapsed_ms / 8), longestPollMs)
  }
}
