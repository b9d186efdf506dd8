import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { houseLeg, postTransfer, type Transfer } from '../../../schema/ledger/post.ts'
import { settleDebt } from '../../../schema/ledger/settle-debt.ts'
import type { Subscription } from '../../../schema/subscriptions/subscriptions.ts'
import type { Cause } from './apply-subscription.ts'
import { closeMonth } from './close-month.ts'
import { decideGrants, type GrantStep } from './decide-grants.ts'
import type { SubscriptionFacts } from './facts.ts'

interface Granting {
  readonly subscription: Subscription
  readonly facts: SubscriptionFacts
  readonly cause: Cause
}

/** Posts every grant that is due and notes the months that have theirs. The caller holds the subscription's row. */
export async function grantMonths(trx: DatabaseTransaction, granting: Granting): Promise<void> {
  const { subscription, facts, cause } = granting
  const months = await trx
    .selectFrom('subscription_months')
    .selectAll()
    .where('stripe_subscription_id', '=', facts.id)
    .execute()
  const returned = await returnedShares(trx, facts)
  const steps = decideGrants({
    paid: facts.paid,
    granted: months.map((month) => ({ ...month, invoice_id: month.stripe_invoice_id })),
    credits_per_seat: subscription.credits_per_seat,
    kept_share: (invoiceId) => 1 - (returned.get(invoiceId) ?? 0),
    until: facts.ended_at && facts.ended_at < cause.now ? new Date(facts.ended_at.getTime() - 1) : cause.now,
  })
  for (const step of steps) await take(trx, granting, step)
}

async function take(
  trx: DatabaseTransaction,
  { subscription, facts, cause }: Granting,
  step: GrantStep,
): Promise<void> {
  const { month, credits } = step
  const name = `${facts.id}/${month.starts_at.getTime() / 1000}`
  if (step.step === 'month') {
    if (step.expires_rest) {
      await closeMonth(trx, subscription, {
        name,
        occurred_at: month.starts_at,
        reason: 'Unused plan credits expired',
        cause,
      })
    }
    await trx
      .insertInto('subscription_months')
      .values({
        stripe_subscription_id: facts.id,
        starts_at: month.starts_at,
        ends_at: month.ends_at,
        stripe_invoice_id: month.invoice_id,
        seats: month.seats,
        credits,
      })
      .execute()
    await grant({
      idempotency_key: `plan/${name}`,
      kind: 'plan_grant',
      reason: 'Plan credits',
      occurred_at: month.starts_at,
    })
  } else {
    await trx
      .updateTable('subscription_months')
      .set({ seat_credits: step.total })
      .where('stripe_subscription_id', '=', facts.id)
      .where('starts_at', '=', month.starts_at)
      .execute()
    await grant({
      idempotency_key: `seats/${name}/${step.total}`,
      kind: 'seat_grant',
      reason: 'Credits for added seats',
      occurred_at: cause.now,
    })
  }

  async function grant(
    what: Pick<Transfer, 'idempotency_key' | 'kind' | 'reason' | 'occurred_at'>,
  ): Promise<void> {
    if (credits === 0) return
    const { owner_kind, owner_id } = subscription
    await postTransfer(trx, {
      ...what,
      intent_id: subscription.intent_id,
      event_id: cause.event_id,
      actor: cause.actor,
      legs: [{ owner_kind, owner_id, account: 'plan', amount: credits }, houseLeg('granted', -credits)],
    })
    await settleDebt(trx, subscription, {
      idempotency_key: what.idempotency_key,
      occurred_at: what.occurred_at,
      event_id: cause.event_id,
    })
  }
}

/** How much of each invoice's money went back, from 0 to 1: a refunded year grants no further months. */
async function returnedShares(
  trx: DatabaseTransaction,
  facts: SubscriptionFacts,
): Promise<Map<string, number>> {
  const invoiceIds = [...new Set(facts.paid.map((fact) => fact.invoice_id))]
  if (invoiceIds.length === 0) return new Map()
  const rows = await trx
    .selectFrom('clawbacks')
    .select(['stripe_invoice_id', 'amount_minor', 'amount_returned_minor'])
    .where('stripe_invoice_id', 'in', invoiceIds)
    .execute()
  return new Map(
    rows.map((row) => [
      row.stripe_invoice_id ?? '',
      Math.min(1, row.amount_returned_minor / row.amount_minor),
    ]),
  )
}
