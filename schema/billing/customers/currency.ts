import type { Kysely } from 'kysely'
import { type Currency, defaultCurrency } from '../../catalogue/currency.ts'
import type { DB } from '../../database/types.ts'
import { findLatestSubscription, findLiveSubscription } from '../subscriptions/subscriptions.ts'

/** What a payer is charged in. `is_bound`: they cannot choose another one while their plan lives. */
export interface PayerCurrency {
  readonly code: Currency
  readonly is_bound: boolean
}

/**
 * The currency of every amount that a payer sees and pays: that of their live plan, else what they chose last,
 * else that of the plan that they had, else the default.
 *
 * Stripe binds a customer to one currency for as long as they have a subscription: it "can’t have two active
 * subscriptions with different currencies" (https://docs.stripe.com/invoicing/multi-currency-customers). When
 * none is active, the next one may have another, to which the customer then changes; single payments and
 * single invoices, such as credits, may be in any currency and bind nothing
 * (https://support.stripe.com/questions/set-or-change-currency-for-an-invoice-or-customer-in-stripe-billing).
 */
export async function findCurrency(db: Kysely<DB>, owner_id: string): Promise<PayerCurrency> {
  const live = await findLiveSubscription(db, owner_id)
  if (live) return { code: live.currency, is_bound: true }
  const chosen = await db
    .selectFrom('payer_currencies')
    .select('currency')
    .where('owner_id', '=', owner_id)
    .executeTakeFirst()
  const code = chosen?.currency ?? (await findLatestSubscription(db, owner_id))?.currency ?? defaultCurrency
  return { code, is_bound: false }
}

/**
 * Keeps a choice, if there is one and no plan binds the payer. Returns what they are charged in from now on.
 */
export async function chooseCurrency(
  db: Kysely<DB>,
  owner_id: string,
  currency: Currency | undefined,
): Promise<PayerCurrency> {
  const present = await findCurrency(db, owner_id)
  if (present.is_bound || currency === undefined) return present
  await db
    .insertInto('payer_currencies')
    .values({ owner_id, currency })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet({ currency }))
    .execute()
  return { code: currency, is_bound: false }
}
