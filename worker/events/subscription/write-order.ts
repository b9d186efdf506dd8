import { randomUUID } from 'node:crypto'
import { type CheckoutIntent, insertPaidOrder } from '../../../schema/billing/checkout/intents.ts'
import { listOffers } from '../../../schema/billing/checkout/offers.ts'
import { listIntentsOfOwner } from '../../../schema/billing/checkout/owner-intents.ts'
import { listSubscriptionsOfOwner } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { maximumSeats } from '../../../schema/catalogue/plans.ts'
import { currencySchema } from '../../../schema/catalogue/schemas.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { kindOf } from '../../../schema/ledger/accounts.ts'
import { PermanentError } from '../../errors.ts'
import type { FetchedSubscription } from './fetch-subscription.ts'

/**
 * Writes down the order of a subscription that was made by hand: the plan of its price, the credits that its
 * owner was promised before for that plan, else those of the catalogue. Throws PermanentError when it cannot
 * be one of our plans.
 */
export async function writeOrder(
  trx: DatabaseTransaction,
  owner_id: string,
  fetched: FetchedSubscription,
  now: Date,
): Promise<CheckoutIntent> {
  const { id, customer_id, plan_type, invoices } = fetched
  const { billing_frequency, seats_total: seats } = fetched.row
  const invoice = invoices.at(-1)
  const currency = currencySchema.safeParse(invoice?.currency).data
  if (!plan_type || !invoice || !currency || seats > maximumSeats)
    throw new PermanentError('not_sold', { id })
  const [latest] = await listIntentsOfOwner(trx, owner_id, { limit: 1 })
  const user_id = kindOf(owner_id) === 'user' ? owner_id : latest?.user_id
  if (!user_id) throw new PermanentError('lacks', { what: 'buyer' })
  const promised = (await listSubscriptionsOfOwner(trx, owner_id, { limit: 100 })).findLast(
    (earlier) => earlier.plan_type === plan_type,
  )
  const offers = await listOffers(trx, { plan_type, billing_frequency, currency })
  const offer = offers.find(({ credits }) => credits === promised?.credits_per_seat) ?? offers[0]
  if (!offer) throw new PermanentError('not_sold', { id })
  return insertPaidOrder(trx, {
    id: randomUUID(),
    user_id,
    owner_id,
    offer_id: offer.id,
    quantity: seats,
    created_at: now,
    stripe_customer_id: customer_id,
    stripe_invoice_id: invoice.id,
  })
}
