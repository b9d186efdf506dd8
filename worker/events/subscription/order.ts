import type { Kysely } from 'kysely'
import { z } from 'zod'
import { findIntent } from '../../../schema/billing/checkout/intents.ts'
import { findOwnerOfCustomer } from '../../../schema/billing/customers/customers.ts'
import {
  findSubscription,
  findSubscriptionOfIntent,
} from '../../../schema/billing/subscriptions/subscriptions.ts'
import type { DB } from '../../../schema/database/types.ts'

/**
 * What a subscription was ordered with: a checkout, or, when it was made at Stripe by hand for a customer of
 * ours, nothing that we know.
 */
export type OrderOf = { readonly intent_id: string } | { readonly owner_id: string }

interface MarkedSubscription {
  readonly id: string
  readonly customer: string
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * Whose a subscription is: by our row of it, then by our customer, then by the session that it comes from, or
 * by its metadata, which support can remove or copy at Stripe's dashboard. A checkout counts for the first
 * subscription that it led to, and for its own customer; another one that names it was made by hand.
 * Undefined when it is none of ours.
 */
export async function findOrder(
  db: Kysely<DB>,
  subscription: MarkedSubscription,
  intentOfSession?: string,
): Promise<OrderOf | undefined> {
  const { id, customer, metadata } = subscription
  const known = await findSubscription(db, id)
  if (known) return { intent_id: known.intent_id }
  const intentId = intentOfSession ?? z.uuid().safeParse(metadata.intentId).data
  const intent = intentId ? await findIntent(db, intentId) : undefined
  const owner_id = await findOwnerOfCustomer(db, customer)
  // One that we do not know (yet) is waited for.
  if (intentId && !intent) return { intent_id: intentId }
  const isOfCustomer = !owner_id || intent?.stripe_customer_id === customer || intent?.owner_id === owner_id
  if (intent && isOfCustomer && !(await findSubscriptionOfIntent(db, intent.id)))
    return { intent_id: intent.id }
  const buyer = owner_id ?? intent?.owner_id
  return buyer ? { owner_id: buyer } : undefined
}

/** Whose it is; null while the organization of its checkout has not been created. */
export async function findOwnerOfOrder(db: Kysely<DB>, order: OrderOf): Promise<string | null> {
  if ('owner_id' in order) return order.owner_id
  const intent = await findIntent(db, order.intent_id)
  return intent?.owner_id ?? null
}
