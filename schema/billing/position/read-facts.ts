import type { Kysely } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import { type Charge, listChargesOfIntents, listChargesOfInvoices } from '../charges/charges.ts'
import type { CheckoutIntent } from '../checkout/intents.ts'
import { listSubscriptionsWithLines } from '../subscriptions/snapshots.ts'
import type { Subscription } from '../subscriptions/subscriptions.ts'
import {
  type MoneyBack,
  type OwnerFacts,
  type PaidLine,
  type PurchaseFact,
  pendingLinesSchema,
} from './facts.ts'

/** The facts about an owner's subscriptions, including ended ones. */
export async function readPlanFacts(trx: DatabaseTransaction, owner_id: string): Promise<OwnerFacts> {
  const { subscriptions, lines } = await listSubscriptionsWithLines(trx, owner_id)
  const totals = new Map(lines.map((line) => [line.stripe_invoice_id, line.total_minor]))
  const charges = await listChargesOfInvoices(trx, owner_id, [...totals.keys()])
  const byInvoice = Map.groupBy(charges, (charge) => charge.stripe_invoice_id)
  const linesOf = Map.groupBy(lines, (line) => line.stripe_subscription_id)
  return {
    owner_id,
    purchases: [],
    subscriptions: subscriptions.map((subscription) => ({
      id: subscription.stripe_subscription_id,
      intent_id: subscription.intent_id,
      plan_type: subscription.plan_type,
      credits_per_seat: subscription.credits_per_seat,
      trial_end: subscription.trial_end,
      ended_at: subscription.ended_at,
      lapses_at: subscription.lapses_at,
      seats: subscription.seats_total,
      lines: [
        ...(linesOf.get(subscription.stripe_subscription_id) ?? []).map((line) => ({
          invoice_id: line.stripe_invoice_id,
          kind: line.kind,
          starts_at: line.starts_at,
          ends_at: line.ends_at,
          seats: line.seats,
          seats_before: line.seats_before,
          amount_minor: line.amount_minor,
          paid_at: line.paid_at,
        })),
        ...pendingLinesOf(subscription),
      ],
    })),
    invoice_money: new Map([...totals].map(([id, total]) => [id, moneyBack(total, byInvoice.get(id) ?? [])])),
  }
}

function pendingLinesOf({ pending_lines }: Pick<Subscription, 'pending_lines'>): PaidLine[] {
  return pendingLinesSchema
    .parse(pending_lines)
    .map((line) => ({ ...line, invoice_id: null, paid_at: line.starts_at }))
}

/** The facts about paid checkouts of credits of one owner, by the checkout's id. */
export async function readPurchaseFacts(
  db: Kysely<DB>,
  owner_id: string,
  intents: readonly Pick<CheckoutIntent, 'id' | 'credits' | 'amount_minor'>[],
): Promise<ReadonlyMap<string, PurchaseFact>> {
  const ids = intents.map(({ id }) => id)
  const charges = Map.groupBy(await listChargesOfIntents(db, owner_id, ids), ({ intent_id }) => intent_id)
  return new Map(
    intents.map(({ id, credits, amount_minor }) => [
      id,
      { intent_id: id, credits, money: moneyBack(amount_minor, charges.get(id) ?? []) },
    ]),
  )
}

/** An invoice's amount, and the money returned by all its charges. */
function moneyBack(total_minor: number, charges: readonly Charge[]): MoneyBack {
  const unused = charges.reduce((sum, charge) => sum + charge.unused_refund_minor, 0)
  const before = charges.reduce((sum, charge) => sum + charge.refunded_before_minor, 0)
  return {
    total_minor,
    refunded_minor: charges.reduce((sum, charge) => sum + charge.refunded_minor, 0) - unused,
    disputed_minor: charges.reduce((sum, charge) => sum + charge.disputed_minor, 0),
    ...(unused > 0 && { unused: { amount_minor: unused, refunded_before_minor: before } }),
  }
}
