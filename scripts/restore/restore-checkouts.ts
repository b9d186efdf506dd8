import type Stripe from 'stripe'
import {
  attachSession,
  insertOrFindIntent,
  type NewCheckoutIntent,
  recordCustomer,
} from '../../schema/billing/checkout/intents.ts'
import { type KnownOffer, listOffers } from '../../schema/billing/checkout/offers.ts'
import { currencies } from '../../schema/catalogue/currency.ts'
import { billingFrequencies } from '../../schema/catalogue/plans.ts'
import { planOf } from '../../schema/catalogue/sold-plans.ts'
import type { Database } from '../../schema/database/connect.ts'
import { ensureUser, findUser, type UserProfile } from '../../schema/people/users/users.ts'
import { checkoutMetadataSchema, intentIdOf } from '../../schema/vendors/stripe/metadata.ts'

export interface RestoredCheckouts {
  /** Ids of the intents that were written again. */
  readonly restored: readonly string[]
  readonly known: number
  /** Our sessions with too little metadata, for a person to examine. */
  readonly left: readonly { readonly session_id: string; readonly why: string }[]
}

/**
 * Writes the checkout intents again that a restored database has lost, from the sessions that Stripe has: an
 * event whose intent is missing could never be applied. To be run by the owner of the tables after a restore,
 * before the worker starts. Safe to repeat.
 */
export async function restoreCheckouts(
  {
    db,
    stripe,
    findProfile,
  }: {
    readonly db: Database
    readonly stripe: Stripe
    /** A user who signed up in the time that was lost. */
    readonly findProfile: (userId: string) => Promise<UserProfile | null>
  },
  since: Date,
): Promise<RestoredCheckouts> {
  const restored: string[] = []
  const left: { session_id: string; why: string }[] = []
  let known = 0
  const created = { gte: Math.floor(since.getTime() / 1000) }
  const expand = ['data.customer', 'data.subscription']
  for await (const session of stripe.checkout.sessions.list({ created, limit: 100, expand })) {
    const id = intentIdOf(session)
    if (!id) continue
    const intent = await intentOf(db, session, id)
    if (typeof intent === 'string') {
      left.push({ session_id: session.id, why: intent })
      continue
    }
    if (!(await findUser(db, intent.user_id))) {
      const profile = await findProfile(intent.user_id)
      if (!profile) {
        left.push({ session_id: session.id, why: `Clerk does not know ${intent.user_id}` })
        continue
      }
      await ensureUser(db, profile)
    }
    const isKnown =
      (await db.selectFrom('checkout_intents').select('id').where('id', '=', id).execute()).length > 0
    if (isKnown) known += 1
    else {
      await insertOrFindIntent(db, intent)
      await recordCustomer(db, { id, stripe_customer_id: customerOf(session)?.id ?? '' })
      await attachSession(db, { id, stripe_session_id: session.id })
      restored.push(id)
    }
  }
  return { restored, known, left }
}

/** The order that the session records, of the offer with its terms; or the reason why there is none. */
async function intentOf(
  db: Database,
  session: Stripe.Checkout.Session,
  id: string,
): Promise<NewCheckoutIntent | string> {
  const metadata = checkoutMetadataSchema.parse(session.metadata)
  const user_id = customerOf(session)?.metadata.clerkUserId
  if (!user_id) return 'Its customer names no user'
  const currency = currencies.find((known) => known === session.currency?.toUpperCase())
  const credits = Number(metadata.credits)
  if (!currency || !Number.isInteger(credits)) return 'It does not say how many credits were bought'
  const created_at = new Date(session.created * 1000)
  const { organizationId, planType: plan_type } = metadata
  const common = { id, user_id, created_at, next_try_at: new Date() }
  const owner_id = organizationId ? organizationId : user_id
  if (session.mode === 'payment') {
    if (!session.amount_total) return 'It costs nothing'
    const offers = await listOffers(db, { plan_type: null, billing_frequency: null, currency })
    const offer = offers.find((one) => hasTerms(one, credits, { credits, price: session.amount_total }))
    if (!offer) return 'Credits were never sold at its price'
    return { ...common, owner_id, offer_id: offer.id, quantity: credits }
  }
  const billing_frequency = billingFrequencies.find((known) => known === metadata.billingFrequency)
  const seats = Number(metadata.seats)
  if (!billing_frequency || !plan_type || !Number.isInteger(seats))
    return 'It does not say which plan was bought'
  if (!organizationId && planOf(plan_type).per_seat) return 'Its organization was made after it was paid'
  const offers = await listOffers(db, { plan_type, billing_frequency, currency })
  const offer = offers.find((one) => hasTerms(one, seats, { credits, price: session.amount_subtotal }))
  if (!offer) return 'Its plan was never sold with its terms'
  return { ...common, owner_id, offer_id: offer.id, quantity: seats, trial_days: trialDaysOf(session) }
}

/** A session with a trial has no price. */
function hasTerms(
  { units, ...offer }: KnownOffer,
  quantity: number,
  { credits, price }: { readonly credits: number; readonly price: number | null },
): boolean {
  const isPrice = !price || price === Math.round((quantity * offer.price_minor) / units)
  return isPrice && credits === (quantity * offer.credits) / units
}

function customerOf({ customer }: Stripe.Checkout.Session): Stripe.Customer | null {
  return customer && typeof customer === 'object' && !customer.deleted ? customer : null
}

function trialDaysOf({ subscription }: Stripe.Checkout.Session): number {
  if (!subscription || typeof subscription === 'string') return 0
  const { trial_start, trial_end } = subscription
  return trial_start && trial_end ? Math.round((trial_end - trial_start) / 86_400) : 0
}
