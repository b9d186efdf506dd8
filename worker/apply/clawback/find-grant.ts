import { findIntent, recipientOf } from '../../../schema/checkout/intents.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Owner, OwnerAccount } from '../../../schema/ledger/accounts.ts'
import { NotYetError } from '../../errors.ts'
import type { ChargeFacts } from './charge-facts.ts'

/** What a charge brought, and to whom. */
export interface ChargeGrant {
  readonly owner: Owner
  readonly account: OwnerAccount
  readonly credits_granted: number
  readonly intent_id: string | null
  readonly stripe_invoice_id: string | null
  /** The month that a subscription's charge paid for; null for one that brought nothing, and for bought credits. */
  readonly month: { readonly stripe_subscription_id: string; readonly month_starts_at: Date } | null
}

/** Throws NotYetError while what the charge paid for has not been applied. */
export async function findChargeGrant(trx: DatabaseTransaction, charge: ChargeFacts): Promise<ChargeGrant> {
  if (charge.invoice_id) return findInvoiceGrant(trx, charge.invoice_id)
  const intent = charge.intent_id ? await findIntent(trx, charge.intent_id) : undefined
  const owner = intent && recipientOf(intent)
  if (!intent || !owner || intent.state !== 'settled') {
    throw new NotYetError(`What charge ${charge.id} paid for has not been applied yet`)
  }
  return {
    owner,
    account: 'purchased',
    credits_granted: intent.credits,
    intent_id: intent.id,
    stripe_invoice_id: null,
    month: null,
  }
}

async function findInvoiceGrant(trx: DatabaseTransaction, invoiceId: string): Promise<ChargeGrant> {
  const paid = await trx
    .selectFrom('subscription_invoices as invoice')
    .innerJoin(
      'subscriptions as subscription',
      'subscription.stripe_subscription_id',
      'invoice.stripe_subscription_id',
    )
    .selectAll('invoice')
    .select(['subscription.owner_kind', 'subscription.owner_id', 'subscription.credits_per_seat'])
    .where('invoice.stripe_invoice_id', '=', invoiceId)
    .orderBy('invoice.kind')
    .executeTakeFirst()
  if (!paid) throw new NotYetError(`Invoice ${invoiceId} has not been applied yet`)
  // Of a year that was paid at once, the latest month: the earlier ones are over, the later ones shrink with the money.
  const months = trx
    .selectFrom('subscription_months')
    .selectAll()
    .where('stripe_subscription_id', '=', paid.stripe_subscription_id)
    .orderBy('starts_at', 'desc')
  const month = await (paid.kind === 'period'
    ? months.where('stripe_invoice_id', '=', invoiceId)
    : months.where('starts_at', '<=', paid.starts_at).where('ends_at', '>', paid.starts_at)
  ).executeTakeFirst()
  return {
    owner: { owner_kind: paid.owner_kind, owner_id: paid.owner_id },
    account: 'plan',
    credits_granted: creditsOf(),
    intent_id: null,
    stripe_invoice_id: invoiceId,
    month: month
      ? { stripe_subscription_id: paid.stripe_subscription_id, month_starts_at: month.starts_at }
      : null,
  }

  function creditsOf(): number {
    if (!month || !paid) return 0
    if (paid.kind === 'period') return month.credits
    const added = Math.max(0, paid.seats - (paid.seats_before ?? 0))
    const lengthMs = month.ends_at.getTime() - month.starts_at.getTime()
    const restMs = month.ends_at.getTime() - paid.starts_at.getTime()
    return Math.min(month.seat_credits, Math.floor((added * paid.credits_per_seat * restMs) / lengthMs))
  }
}
