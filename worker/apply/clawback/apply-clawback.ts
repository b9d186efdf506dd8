import { type Selectable, sql } from 'kysely'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Clawbacks } from '../../../schema/database/types.ts'
import { houseLeg, postTransfer } from '../../../schema/ledger/post.ts'
import { settleDebt } from '../../../schema/ledger/settle-debt.ts'
import type { EventOutcome } from '../apply-event.ts'
import type { Cause } from '../subscription/apply-subscription.ts'
import type { ChargeFacts } from './charge-facts.ts'
import { clawbackMoves, clawbackTargets } from './decide-clawback.ts'
import { type ChargeGrant, findChargeGrant } from './find-grant.ts'

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
  const known = await findClawback(trx, charge.id)
  if (known && known.snapshot_order >= charge.snapshot_order)
    return { state: 'applied', reason: 'A newer snapshot has been applied' }
  const grant = known ? grantOf(known) : await findChargeGrant(trx, charge)
  const targets = clawbackTargets(charge, grant.credits_granted)
  const before = known ?? { credits_refunded: 0, credits_disputed: 0, credits_taken: 0, transfers: 0 }
  const moves = clawbackMoves(before, targets, await findUnused(trx, grant))
  let { transfers } = before
  if (moves.refund !== 0)
    await move(trx, { charge, grant, cause }, { what: 'refund', credits: moves.refund, n: ++transfers })
  if (moves.dispute !== 0) {
    await move(trx, { charge, grant, cause }, { what: 'dispute', credits: moves.dispute, n: ++transfers })
  }
  const changing = {
    ...targets,
    credits_taken: before.credits_taken + moves.refund + moves.dispute,
    transfers,
    amount_returned_minor: Math.min(charge.amount_minor, charge.refunded_minor + charge.disputed_minor),
    snapshot_order: charge.snapshot_order,
  }
  const { owner, month, ...fixed } = grant
  await trx
    .insertInto('clawbacks')
    .values({
      stripe_charge_id: charge.id,
      ...owner,
      ...fixed,
      stripe_subscription_id: month?.stripe_subscription_id ?? null,
      month_starts_at: month?.month_starts_at ?? null,
      amount_minor: charge.amount_minor,
      ...changing,
    })
    .onConflict((conflict) =>
      conflict.column('stripe_charge_id').doUpdateSet({ ...changing, updated_at: sql`now()` }),
    )
    .execute()
  return {
    state: 'applied',
    reason: transfers === before.transfers ? 'Nothing more is to be taken back' : null,
  }
}

function findClawback(trx: DatabaseTransaction, chargeId: string) {
  return trx.selectFrom('clawbacks').selectAll().where('stripe_charge_id', '=', chargeId).executeTakeFirst()
}

function grantOf(known: Selectable<Clawbacks>): ChargeGrant {
  const { stripe_subscription_id, month_starts_at } = known
  return {
    owner: { owner_kind: known.owner_kind, owner_id: known.owner_id },
    account: known.account,
    credits_granted: known.credits_granted,
    intent_id: known.intent_id,
    stripe_invoice_id: known.stripe_invoice_id,
    month: stripe_subscription_id && month_starts_at ? { stripe_subscription_id, month_starts_at } : null,
  }
}

/** What was not used of a month that is over; null while the credits last, which bought ones always do. */
async function findUnused(trx: DatabaseTransaction, { month }: ChargeGrant): Promise<number | null> {
  if (!month) return null
  const row = await trx
    .selectFrom('subscription_months')
    .select('unused')
    .where('stripe_subscription_id', '=', month.stripe_subscription_id)
    .where('starts_at', '=', month.month_starts_at)
    .executeTakeFirstOrThrow()
  return row.unused
}

/** Posts one step; a negative number gives credits back: a refund that failed, a dispute that was won. */
async function move(
  trx: DatabaseTransaction,
  { charge, grant, cause }: { charge: ChargeFacts; grant: ChargeGrant; cause: Cause },
  { what, credits, n }: { what: 'refund' | 'dispute'; credits: number; n: number },
): Promise<void> {
  const idempotency_key = `${what}/${charge.id}/${n}`
  const { event_id, actor, now: occurred_at } = cause
  await postTransfer(trx, {
    idempotency_key,
    kind: what === 'dispute' && credits < 0 ? 'dispute_won' : what,
    occurred_at,
    intent_id: grant.intent_id,
    event_id,
    actor,
    reason: reasonOf(what, credits),
    legs: [
      { ...grant.owner, account: grant.account, amount: -credits },
      houseLeg(what === 'refund' ? 'refunded' : 'disputed', credits),
    ],
  })
  await settleDebt(trx, grant.owner, { idempotency_key, occurred_at, event_id })
}

function reasonOf(what: 'refund' | 'dispute', credits: number): string {
  if (what === 'refund') return credits > 0 ? 'Refund' : 'Refund reversed'
  return credits > 0 ? 'Payment disputed' : 'Dispute won'
}
