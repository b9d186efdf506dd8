import { randomUUID } from 'node:crypto'
import { type Grant, monthGrant, purchaseGrant } from '../../../schema/ledger/grants.ts'
import { transferKey } from '../../../schema/ledger/keys.ts'
import type { Transfer } from '../../../schema/ledger/post/post.ts'
import type { PaidPurchase } from './paid-purchases.ts'

const day = 24 * 3600 * 1000

export function buildPurchaseGrant(owner_id: string, intent_id: string = randomUUID()): Grant {
  return purchaseGrant(owner_id, { intent_id, starts_at: new Date('2026-09-01T00:00:00Z') })
}

/** A month of the owner's one subscription, or seats added to it. */
export function buildMonthGrant(owner_id: string, starts_at: Date, kind: 'month' | 'seats' = 'month'): Grant {
  return monthGrant(kind, owner_id, {
    intent_id: randomUUID(),
    stripe_subscription_id: `sub_${owner_id}`,
    stripe_invoice_id: `in_${kind}_${owner_id}_${starts_at.getTime()}`,
    month_starts_at: starts_at,
    starts_at,
    ends_at: new Date(starts_at.getTime() + 30 * day),
  })
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
    plan: grant.account === 'plan' ? of.amount : 0,
    purchased: grant.account === 'purchased' ? of.amount : 0,
    house: 'adjusted',
    ...fields,
  }
}

/** 900 credits of a late payment for January 2026, which no invoice has brought. */
export function buildUnexplained(bought: PaidPurchase, occurred_at: Date): Transfer {
  const grant = monthGrant('late_month', bought.owner_id, {
    intent_id: bought.intent_id,
    stripe_subscription_id: bought.subscription_id ?? '',
    stripe_invoice_id: 'in_never',
    month_starts_at: null,
    starts_at: new Date('2026-01-01T00:00:00Z'),
    ends_at: new Date('2026-02-01T00:00:00Z'),
  })
  return buildTransfer(
    grant,
    { kind: 'plan_grant', ordinal: 1, amount: 900 },
    { house: 'granted', occurred_at },
  )
}
