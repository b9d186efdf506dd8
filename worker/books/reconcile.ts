import type { CheckoutIntent } from '../../schema/checkout/intents.ts'
import { recipientOf } from '../../schema/checkout/intents.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import type { HouseAccount, Owner, TransferKind } from '../../schema/ledger/accounts.ts'
import { closeMonth, lockOwner, readBooks, readGrant } from '../../schema/ledger/books.ts'
import type { Grant } from '../../schema/ledger/grants.ts'
import { checkoutKey, purchaseGrantId, transferKey } from '../../schema/ledger/keys.ts'
import { houseLeg, postTransfers, type Transfer } from '../../schema/ledger/post.ts'
import {
  type BooksInScope,
  type Component,
  type Difference,
  differenceOf,
  type MissingTransfer,
} from './difference.ts'
import type { OwnerFacts } from './facts.ts'
import { type GrantDue, type Position, positionOf } from './position.ts'
import { readPlanFacts, readPurchaseFacts } from './read-facts.ts'

/** What made us look at the books, and when. */
export interface Cause {
  readonly event_id: string | null
  /** Who caused it: `stripe`, `sweep`, `schedule`, or a person's id. */
  readonly actor: string
  readonly now: Date
}

/**
 * Makes the books of an owner's plan, with all their subscriptions, agree with the facts, inside the caller's transaction. Doing it
 * again posts nothing. Returns the number of transfers posted.
 */
export async function reconcilePlan(trx: DatabaseTransaction, owner: Owner, cause: Cause): Promise<number> {
  await lockOwner(trx, owner)
  const facts = await readPlanFacts(trx, owner)
  const books = await readBooks(trx, owner)
  const grants = books.grants.filter((grant) => grant.kind !== 'purchase')
  return postDifference(trx, { owner, facts, books: { ...books, grants }, cause })
}

/**
 * The same for one paid checkout of credits, whose grant depends on nothing else of its owner's. The caller holds the intent's
 * row, and its recipient is known.
 */
export async function reconcilePurchase(
  trx: DatabaseTransaction,
  intent: CheckoutIntent,
  cause: Cause,
): Promise<number> {
  const owner = recipientOf(intent)
  if (!owner) throw new Error(`Intent ${intent.id} has nobody to grant credits to`)
  await lockOwner(trx, owner)
  const facts = await readPurchaseFacts(trx, { ...intent, paid_at: intent.created_at })
  const known = await readGrant(trx, purchaseGrantId(intent.id))
  const books = { grants: known ? [known] : [], closed_months: [], used_open: 0 }
  return postDifference(trx, { owner, facts, books, cause, stripe_session_id: intent.stripe_session_id })
}

interface Reconciliation {
  readonly owner: Owner
  readonly facts: OwnerFacts
  readonly books: BooksInScope
  readonly cause: Cause
  /** Of a purchase. */
  readonly stripe_session_id?: string | null
}

async function postDifference(trx: DatabaseTransaction, of: Reconciliation): Promise<number> {
  const position = positionOf(of.facts, of.cause.now)
  const difference = differenceOf(position, of.books)
  await postTransfers(trx, transfersOf(difference, { ...of, position }))
  for (const closing of difference.closings) await closeMonth(trx, of.owner, closing)
  return difference.transfers.length
}

function transfersOf(
  difference: Difference,
  { owner, position, books, cause, stripe_session_id }: Reconciliation & { readonly position: Position },
): Transfer[] {
  const due = new Map(position.grants.map((grant) => [grant.id, grant]))
  const posted = new Map(books.grants.map((grant) => [grant.id, grant]))
  return difference.transfers.map((missing) => {
    const want = due.get(missing.grant_id)
    const grant = posted.get(missing.grant_id) ?? (want && newGrant(want, owner))
    if (!grant) throw new Error(`Nothing is known of grant ${missing.grant_id}`)
    const { kind, house, reason } = wordingOf(missing, grant.kind)
    const isFirst = missing.ordinal === 1
    return {
      // A paid session names the first transfer, so that the ledger itself cannot grant it twice.
      idempotency_key:
        isFirst && stripe_session_id
          ? checkoutKey(stripe_session_id)
          : transferKey(grant.id, missing.ordinal),
      kind,
      grant,
      occurred_at: isFirst && want && grant.kind === 'month' ? want.starts_at : cause.now,
      intent_id: want?.intent_id ?? null,
      event_id: cause.event_id,
      actor: cause.actor,
      reason,
      legs: [
        { ...ownerOf(owner), account: grant.account, amount: missing.credits },
        houseLeg(house, -missing.credits),
      ],
    }
  })
}

function ownerOf({ owner_kind, owner_id }: Owner): Owner {
  return { owner_kind, owner_id }
}

function newGrant(due: GrantDue, owner: Owner): Grant {
  const { gross: _gross, refunded: _refunded, disputed: _disputed, ...fields } = due
  const account = due.kind === 'month' || due.kind === 'seats' ? 'plan' : 'purchased'
  return { ...fields, ...ownerOf(owner), account }
}

/** How one missing transfer is posted, and what people read of it. */
function wordingOf(
  { component, credits }: MissingTransfer,
  grantKind: Grant['kind'],
): { kind: TransferKind; house: HouseAccount; reason: string } {
  if (component === 'gross') return grossWording(grantKind, credits)
  const [more, less] = reasons[component]
  switch (component) {
    case 'refunded':
      return { kind: 'refund', house: 'refunded', reason: credits < 0 ? more : less }
    case 'disputed':
      return {
        kind: credits < 0 ? 'dispute' : 'dispute_won',
        house: 'disputed',
        reason: credits < 0 ? more : less,
      }
    case 'expired':
      return { kind: 'expiry', house: 'expired', reason: credits < 0 ? more : less }
    case 'written_off':
      return { kind: 'write_off', house: 'written_off', reason: credits > 0 ? more : less }
  }
}

const reasons: Record<Exclude<Component, 'gross'>, readonly [string, string]> = {
  refunded: ['Refund', 'Refund reversed'],
  disputed: ['Payment disputed', 'Dispute won'],
  expired: ['Unused plan credits expired', 'Expired credits restored'],
  written_off: ['Debt of an earlier plan written off', 'Debt of an earlier plan restored'],
}

function grossWording(
  grantKind: Grant['kind'],
  credits: number,
): { kind: TransferKind; house: HouseAccount; reason: string } {
  if (grantKind === 'purchase') return { kind: 'credit_purchase', house: 'sold', reason: 'Credit purchase' }
  const kind = grantKind === 'seats' ? 'seat_grant' : 'plan_grant'
  if (credits < 0) return { kind, house: 'granted', reason: 'Plan credits for a month that was cut short' }
  const texts = {
    month: 'Plan credits',
    seats: 'Credits for added seats',
    late_month: 'Credits for a plan payment that came late',
    adjustment: 'Adjustment',
    legacy: 'Earlier credits',
  }
  return { kind, house: 'granted', reason: texts[grantKind] }
}
