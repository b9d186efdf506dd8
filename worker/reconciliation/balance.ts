import type Stripe from 'stripe'
import { z } from 'zod'
import {
  type BalanceTransaction,
  findLastDayRead,
  recordDaysRead,
  saveBalanceTransactions,
} from '../../schema/billing/reconciliation/balance-transactions.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import {
  type ChargeOrigin,
  chargeSchema,
  findChargeOrigin,
  findOriginById,
  foreignCharge,
} from './charge-origin.ts'
import { type Comparison, dayMs, fromSeconds, seconds } from './comparison.ts'

/** A day is read when it has been over for so long that Stripe lists all of it. */
const postedMs = 3600 * 1000

/**
 * Reads the balance transactions of the days that are over and were not read yet: Stripe’s own account of the
 * money that came and went (https://docs.stripe.com/api/balance_transactions,
 * https://docs.stripe.com/reports/reporting-categories). Finance’s statement is made of them (decision 109).
 */
export const balanceTransactions: Comparison = {
  name: 'balance transactions',
  async step({ deps, since, now }, after) {
    const first = await firstDayToRead(deps, since)
    // The list is newest first: the day that it began with is kept until its end.
    const [last = lastDayOver(now), from] = after?.split(' ') ?? []
    if (first === null || first > last) return { count: 0, differences: [], next: null }
    const page = await deps.stripe.balanceTransactions.list({
      created: { gte: seconds(startOf(first)), lt: seconds(startOf(dayAfter(last))) },
      limit: 100,
      expand: ['data.source'],
      ...(from && { starting_after: from }),
    })
    const transactions: BalanceTransaction[] = []
    for (const one of page.data) transactions.push(await toRow(deps, one))
    await deps.db.transaction().execute(async (trx) => {
      await saveBalanceTransactions(trx, transactions)
      if (!page.has_more) await recordDaysRead(trx, { first, last, now })
    })
    return {
      count: transactions.length,
      differences: [],
      next: page.has_more ? `${last} ${page.data.at(-1)?.id}` : null,
    }
  },
}

/**
 * The day after the last one that was read; at first the day of the first transfer. Null while there is none.
 */
async function firstDayToRead({ db }: WorkerDependencies, since: Date): Promise<string | null> {
  const last = await findLastDayRead(db)
  if (last !== null) return dayAfter(last)
  const transfer = await db
    .selectFrom('ledger_transfers')
    .select('occurred_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!transfer) return null
  return dateOf(new Date(Math.max(transfer.occurred_at.getTime(), since.getTime())))
}

function lastDayOver(now: Date): string {
  return dateOf(new Date(now.getTime() - postedMs - dayMs))
}

function dayAfter(date: string): string {
  return dateOf(new Date(startOf(date).getTime() + dayMs))
}

function startOf(date: string): Date {
  return new Date(`${date}T00:00:00Z`)
}

function dateOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

const sourceSchema = z.discriminatedUnion('object', [
  z.object({ object: z.literal('charge'), ...chargeSchema.shape }),
  z.object({
    object: z.enum(['refund', 'dispute']),
    id: z.string(),
    amount: z.int(),
    currency: z.string(),
    charge: stripeReferenceSchema.nullable(),
  }),
])

async function toRow(deps: WorkerDependencies, one: Stripe.BalanceTransaction): Promise<BalanceTransaction> {
  const source = sourceSchema.safeParse(one.source).data
  const { origin, charge_id } = await originOf(deps, source)
  return {
    stripe_balance_transaction_id: one.id,
    created_at: fromSeconds(one.created),
    category: one.reporting_category,
    amount_minor: one.amount,
    fee_minor: one.fee,
    net_minor: one.net,
    currency: one.currency.toUpperCase(),
    charge_id,
    paid_minor: source ? Math.sign(one.amount) * source.amount : null,
    paid_currency: source ? source.currency.toUpperCase() : null,
    ...origin,
  }
}

async function originOf(
  deps: WorkerDependencies,
  source: z.infer<typeof sourceSchema> | undefined,
): Promise<{ origin: ChargeOrigin; charge_id: string | null }> {
  if (source?.object === 'charge') {
    return { origin: await findChargeOrigin(deps, source), charge_id: source.id }
  }
  const charge_id = source?.charge ?? null
  const origin = charge_id === null ? foreignCharge : await findOriginById(deps, charge_id)
  return { origin: { intent_id: origin.intent_id, stripe_invoice_id: origin.stripe_invoice_id }, charge_id }
}
