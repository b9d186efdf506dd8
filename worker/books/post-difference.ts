import type { CheckoutTerms } from '../../schema/billing/checkout/intents.ts'
import {
  type BooksInScope,
  differenceOf,
  type MissingTransfer,
  usageToCount,
} from '../../schema/billing/position/difference.ts'
import { type Position, positionOf } from '../../schema/billing/position/position.ts'
import { readPlanFacts, readPurchaseFacts } from '../../schema/billing/position/read-facts.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import type { HouseAccount, TransferKind } from '../../schema/ledger/accounts.ts'
import type { GrantKind } from '../../schema/ledger/grants.ts'
import {
  closeMonth,
  type GrantInBooks,
  lockOwner,
  readBooks,
  readPurchaseGrant,
} from '../../schema/ledger/post/books.ts'
import { grantTransfer, postTransfers, type Transfer } from '../../schema/ledger/post/post.ts'
import { readUsageInMonths, type UsageInMonth } from '../../schema/ledger/post/usage-in-months.ts'

/** What caused a posting, and when. */
export interface Cause {
  readonly event_id: string | null
  /** Who caused it: `stripe`, `schedule`, or a person's id. */
  readonly actor: string
  readonly now: Date
  /** When it happened, by the sender's clock; left out, now. */
  readonly occurred_at?: Date
}

/**
 * Makes the books of an owner's plan, with all their subscriptions, agree with the facts, inside the caller's
 * transaction. Doing it again posts nothing. Returns the ids of the transfers.
 */
export async function postPlanDifference(
  trx: DatabaseTransaction,
  owner_id: string,
  cause: Cause,
): Promise<readonly number[]> {
  await lockOwner(trx, owner_id)
  const facts = await readPlanFacts(trx, owner_id)
  const books = await readBooks(trx, owner_id)
  const ofPlans = { ...books, grants: books.grants.filter((grant) => grant.kind !== 'purchase') }
  const position = positionOf(facts, cause.now, ofPlans)
  const { transfers, closings } = whatToPost({
    position,
    books: ofPlans,
    usage: await readUsageInMonths(trx, owner_id, usageToCount(position, ofPlans)),
    cause,
    paid_by: null,
  })
  const transfer_ids = await post(trx, transfers)
  for (const month of closings) await closeMonth(trx, owner_id, month)
  return transfer_ids
}

/** What is granted for a checkout of credits, and to whom. */
type Purchase = Pick<
  CheckoutTerms,
  'id' | 'state' | 'owner_id' | 'credits' | 'amount_minor' | 'stripe_session_id' | 'stripe_invoice_id'
>

/**
 * The same for one checkout of credits, whose grant depends on nothing else of its owner's. What one that is
 * not settled brought is taken back, because it was never paid. The caller holds the intent's row, which is
 * enough to read by and to post what is missing: every function that posts to a purchase's grant, or saves
 * what went back of it, holds its intent.
 */
export async function postPurchaseDifference(
  trx: DatabaseTransaction,
  intent: Purchase,
  cause: Cause,
): Promise<readonly number[]> {
  const owner_id = intent.owner_id
  if (!owner_id) throw new Error(`Intent ${intent.id} has no recipient for the credits`)
  const facts = await readPurchaseFacts(trx, owner_id, intent.state === 'settled' ? [intent] : [])
  const books = withOneGrant(await readPurchaseGrant(trx, intent.id))
  const purchase = facts.get(intent.id)
  const purchases = purchase ? [purchase] : []
  const alone = { owner_id, purchases, subscriptions: [], invoice_money: new Map() }
  const position = positionOf(alone, cause.now, books)
  const paid_by = intent.stripe_session_id ?? intent.stripe_invoice_id
  const { transfers } = whatToPost({ position, books, cause, paid_by })
  return post(trx, transfers)
}

async function post(trx: DatabaseTransaction, transfers: readonly Transfer[]): Promise<number[]> {
  return (await postTransfers(trx, transfers)).map(({ transfer_id }) => transfer_id)
}

function withOneGrant(grant: GrantInBooks | null): BooksInScope {
  const grants = grant ? [grant] : []
  return { grants, closed_months: [], holds: [], used_open: 0 }
}

interface Comparison {
  readonly position: Position
  readonly books: BooksInScope
  /** See `usageToCount`. */
  readonly usage?: readonly UsageInMonth[]
  readonly cause: Cause
  /** Of a purchase: its source, a session or an invoice. */
  readonly paid_by: string | null
}

/** What has to be posted and closed so that the books agree with the position. */
function whatToPost({ position, books, usage = [], cause, paid_by }: Comparison) {
  const { now, event_id, actor } = cause
  const { transfers, ...months } = differenceOf(position, books, usage)
  const posted = transfers.map((missing) => {
    const { grant, ordinal } = missing
    const { reason, ...wording } = wordingOf(missing)
    const occurred_at = (ordinal === 1 && grant.kind === 'month' && grant.starts_at) || now
    return grantTransfer({ ...missing, ...wording, paid_by }, { occurred_at, event_id, actor, reason })
  })
  return { transfers: posted, ...months }
}

/** How one missing transfer is posted, and what people read of it. */
function wordingOf({ component, credits, grant }: MissingTransfer): {
  kind: TransferKind
  house: HouseAccount | null
  reason: string
} {
  const isLess = credits < 0
  switch (component) {
    case 'gross':
      if (isLess && grant.kind === 'purchase') {
        return { kind: 'withdrawal', house: 'sold', reason: 'Credits of a payment that was never made' }
      }
      return {
        ...grossWording[grant.kind],
        ...(isLess && { reason: 'Plan credits for a month that was cut short' }),
      }
    case 'refunded':
      return { kind: 'refund', house: 'refunded', reason: isLess ? 'Refund' : 'Refund reversed' }
    case 'disputed':
      return isLess
        ? { kind: 'dispute', house: 'disputed', reason: 'Payment disputed' }
        : { kind: 'dispute_won', house: 'disputed', reason: 'Dispute won' }
    case 'returned':
      return { kind: 'usage_moved', house: null, reason: 'Usage counted to the new month' }
    case 'expired': {
      const reason = isLess ? 'Unused plan credits expired' : 'Expired credits restored'
      return { kind: 'expiry', house: 'expired', reason }
    }
    case 'written_off': {
      const reason = isLess ? 'Debt of an earlier plan restored' : 'Debt of an earlier plan written off'
      return { kind: 'write_off', house: 'written_off', reason }
    }
  }
}

const planGrant = { kind: 'plan_grant', house: 'granted' } as const
const grossWording: Record<GrantKind, { kind: TransferKind; house: HouseAccount; reason: string }> = {
  purchase: { kind: 'credit_purchase', house: 'sold', reason: 'Credit purchase' },
  month: { ...planGrant, reason: 'Plan credits' },
  seats: { kind: 'seat_grant', house: 'granted', reason: 'Credits for added seats' },
  late_month: { ...planGrant, reason: 'Credits for a plan payment that came late' },
  adjustment: { kind: 'adjustment', house: 'adjusted', reason: 'Adjustment' },
}
