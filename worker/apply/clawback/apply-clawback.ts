import { sql } from 'kysely'
import { findIntent, recipientOf } from '../../../schema/checkout/intents.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Owner, OwnerAccount } from '../../../schema/ledger/accounts.ts'
import { houseLeg, postTransfer } from '../../../schema/ledger/post.ts'
import { settleDebt } from '../../../schema/ledger/settle-debt.ts'
import { NotYetError } from '../../errors.ts'
import type { EventOutcome } from '../apply-event.ts'
import type { Cause } from '../subscription/apply-subscription.ts'
import type { ChargeFacts } from './charge-facts.ts'
import { clawbackTargets } from './decide-clawback.ts'

/** What a charge brought, and to whom. */
interface Grant {
  readonly owner: Owner
  readonly account: OwnerAccount
  readonly credits: number
  readonly intent_id: string | null
  readonly stripe_invoice_id: string | null
  /** When what was granted is gone anyhow; null for purchased credits, which stay. */
  readonly expires_at: Date | null
}

/**
 * Makes what was taken back agree with a look at the charge, inside the caller's transaction. Refunds, disputes and their ends
 * all come here: what is posted is the difference to what was posted before, so repeated, reordered and cumulative reports all
 * end the same. Throws NotYetError while what the charge paid for has not been applied.
 */
export async function applyClawback(
  trx: DatabaseTransaction,
  charge: ChargeFacts,
  cause: Cause,
): Promise<EventOutcome> {
  if (!charge.intent_id && !charge.invoice_id) {
    return { state: 'ignored', reason: `Charge ${charge.id} paid for nothing of ours` }
  }
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${charge.id}, 0))`.execute(trx)
  const known = await trx
    .selectFrom('clawbacks')
    .selectAll()
    .where('stripe_charge_id', '=', charge.id)
    .executeTakeFirst()
  if (known && known.fetch_order >= charge.order)
    return { state: 'applied', reason: 'A newer look was applied' }
  const grant: Grant = known
    ? { ...known, owner: known, credits: known.credits_granted }
    : await findGrant(trx, charge, cause.now)

  const before = known ?? { credits_refunded: 0, credits_disputed: 0, transfers: 0 }
  const isOver = grant.expires_at !== null && grant.expires_at <= cause.now
  const targets = isOver
    ? { credits_refunded: before.credits_refunded, credits_disputed: before.credits_disputed }
    : clawbackTargets(charge, grant.credits)
  const refunded = targets.credits_refunded - before.credits_refunded
  const disputed = targets.credits_disputed - before.credits_disputed
  let { transfers } = before
  if (refunded !== 0) await takeBack('refund', refunded)
  if (disputed !== 0) await takeBack('dispute', disputed)
  await write()
  return {
    state: 'applied',
    reason: refunded === 0 && disputed === 0 ? 'Nothing more is to be taken back' : null,
  }

  /** A negative number gives credits back: a refund that failed, a dispute that was won. */
  async function takeBack(what: 'refund' | 'dispute', credits: number): Promise<void> {
    transfers++
    const idempotency_key = `${what}/${charge.id}/${transfers}`
    await postTransfer(trx, {
      idempotency_key,
      kind: what === 'dispute' && credits < 0 ? 'dispute_won' : what,
      occurred_at: cause.now,
      intent_id: grant.intent_id,
      event_id: cause.event_id,
      actor: cause.actor,
      reason: reasonOf(what, credits),
      legs: [
        {
          owner_kind: grant.owner.owner_kind,
          owner_id: grant.owner.owner_id,
          account: grant.account,
          amount: -credits,
        },
        houseLeg(what === 'refund' ? 'refunded' : 'disputed', credits),
      ],
    })
    await settleDebt(trx, grant.owner, { idempotency_key, occurred_at: cause.now, event_id: cause.event_id })
  }

  async function write(): Promise<void> {
    const changing = {
      ...targets,
      transfers,
      amount_returned_minor: Math.min(charge.amount_minor, charge.refunded_minor + charge.disputed_minor),
      fetch_order: charge.order,
    }
    await trx
      .insertInto('clawbacks')
      .values({
        stripe_charge_id: charge.id,
        owner_kind: grant.owner.owner_kind,
        owner_id: grant.owner.owner_id,
        account: grant.account,
        intent_id: grant.intent_id,
        stripe_invoice_id: grant.stripe_invoice_id,
        amount_minor: charge.amount_minor,
        credits_granted: grant.credits,
        expires_at: grant.expires_at,
        ...changing,
      })
      .onConflict((conflict) =>
        conflict.column('stripe_charge_id').doUpdateSet({ ...changing, updated_at: sql`now()` }),
      )
      .execute()
  }
}

function reasonOf(what: 'refund' | 'dispute', credits: number): string {
  if (what === 'refund') return credits > 0 ? 'Refund' : 'Refund reversed'
  return credits > 0 ? 'Payment disputed' : 'Dispute won'
}

async function findGrant(trx: DatabaseTransaction, charge: ChargeFacts, now: Date): Promise<Grant> {
  if (charge.invoice_id) return findInvoiceGrant(trx, charge.invoice_id, now)
  const intent = charge.intent_id ? await findIntent(trx, charge.intent_id) : undefined
  const owner = intent && recipientOf(intent)
  if (!intent || !owner || intent.state !== 'settled') {
    throw new NotYetError(`What charge ${charge.id} paid for has not been applied yet`)
  }
  return {
    owner,
    account: 'purchased',
    credits: intent.credits,
    intent_id: intent.id,
    stripe_invoice_id: null,
    expires_at: null,
  }
}

/**
 * What an invoice of a subscription brought that is still there: the credits of a month that is over have expired, and taking
 * them from the next month would charge somebody for what they paid for later.
 */
async function findInvoiceGrant(trx: DatabaseTransaction, invoiceId: string, now: Date): Promise<Grant> {
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
  const month = await trx
    .selectFrom('subscription_months')
    .select(['stripe_invoice_id', 'starts_at', 'ends_at', 'credits', 'seat_credits'])
    .where('stripe_subscription_id', '=', paid.stripe_subscription_id)
    .where('starts_at', '<=', now)
    .where('ends_at', '>', now)
    .executeTakeFirst()
  return {
    owner: { owner_kind: paid.owner_kind, owner_id: paid.owner_id },
    account: 'plan',
    credits: creditsLeftOf(),
    intent_id: null,
    stripe_invoice_id: invoiceId,
    expires_at: month?.ends_at ?? now,
  }

  function creditsLeftOf(): number {
    if (!month || !paid) return 0
    if (paid.kind === 'period') return month.stripe_invoice_id === invoiceId ? month.credits : 0
    if (paid.starts_at < month.starts_at) return 0
    const added = Math.max(0, paid.seats - (paid.seats_before ?? 0))
    const lengthMs = month.ends_at.getTime() - month.starts_at.getTime()
    const restMs = month.ends_at.getTime() - paid.starts_at.getTime()
    return Math.min(month.seat_credits, Math.floor((added * paid.credits_per_seat * restMs) / lengthMs))
  }
}
