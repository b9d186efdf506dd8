import { randomUUID } from 'node:crypto'
import type { Database } from '../../../schema/database/connect.ts'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import type { Grant } from '../../../schema/ledger/grants.ts'
import { monthGrantId, purchaseGrantId, transferKey } from '../../../schema/ledger/keys.ts'
import { houseLeg, type Transfer } from '../../../schema/ledger/post.ts'
import { spendCredits, type UsageResult } from '../../../schema/ledger/usage.ts'

const day = 24 * 3600 * 1000

export function user(owner_id: string): Owner {
  return { owner_kind: 'user', owner_id }
}

export function buildPurchaseGrant(owner: Owner, intent_id: string = randomUUID()): Grant {
  return {
    id: purchaseGrantId(intent_id),
    kind: 'purchase',
    ...owner,
    account: 'purchased',
    intent_id,
    stripe_subscription_id: null,
    stripe_invoice_id: null,
    month_starts_at: null,
    starts_at: new Date('2026-09-01T00:00:00Z'),
    ends_at: null,
  }
}

/** A month of the owner's one subscription, or seats added to it. */
export function buildMonthGrant(owner: Owner, starts_at: Date, kind: 'month' | 'seats' = 'month'): Grant {
  const stripe_invoice_id = `in_${kind}_${owner.owner_id}_${starts_at.getTime()}`
  return {
    ...buildPurchaseGrant(owner),
    id: monthGrantId(kind, stripe_invoice_id, starts_at),
    kind,
    account: 'plan',
    stripe_subscription_id: `sub_${owner.owner_id}`,
    stripe_invoice_id,
    month_starts_at: starts_at,
    starts_at,
    ends_at: new Date(starts_at.getTime() + 30 * day),
  }
}

/** The grant's transfer number `ordinal`, which adds `amount` to the owner's account. */
export function buildTransfer(
  grant: Grant,
  of: { readonly kind: Transfer['kind']; readonly ordinal: number; readonly amount: number },
  fields: Partial<Transfer> = {},
): Transfer {
  return {
    idempotency_key: transferKey(grant.id, of.ordinal),
    kind: of.kind,
    grant,
    occurred_at: new Date('2026-09-02T00:00:00Z'),
    intent_id: null,
    event_id: null,
    actor: 'test',
    reason: 'Test',
    legs: [
      { owner_kind: grant.owner_kind, owner_id: grant.owner_id, account: grant.account, amount: of.amount },
      houseLeg('adjusted', -of.amount),
    ],
    ...fields,
  }
}

export function use(db: Database, owner: Owner, credits: number): Promise<UsageResult> {
  return spendCredits(db, {
    ...owner,
    credits,
    idempotency_key: randomUUID(),
    occurred_at: new Date(),
    actor: owner.owner_id,
    reason: 'Test',
  })
}
