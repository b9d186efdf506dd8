import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import {
  attachSession,
  type CheckoutIntent,
  insertIntent,
  type NewCheckoutIntent,
} from '../../../schema/billing/checkout/intents.ts'
import { type KnownOffer, listOffers, type Sold } from '../../../schema/billing/checkout/offers.ts'
import { recordOutcome } from '../../../schema/billing/checkout/outcomes.ts'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import type { BillingFrequency, PlanType } from '../../../schema/catalogue/plans.ts'
import { personalPlans } from '../../../schema/catalogue/sold-plans.ts'
import type { Database } from '../../../schema/database/connect.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { buildUser } from './users.ts'

type Purchase = CheckoutIntent & { readonly owner_id: string }

/** A purchase of 500 credits by a new user, with a session when one is named. */
export async function buildPurchase(
  db: Database,
  {
    stripe_session_id,
    credits = 500,
    currency = 'EUR',
    ...fields
  }: Partial<NewCheckoutIntent> & {
    stripe_session_id?: string
    credits?: number
    currency?: Currency
  } = {},
): Promise<Purchase> {
  const userId = fields.user_id ?? (await buildUser(db))
  const [offer] = await listOffers(db, { plan_type: null, billing_frequency: null, currency })
  const intent = await insertIntent(db, {
    id: randomUUID(),
    user_id: userId,
    owner_id: userId,
    offer_id: offer?.id ?? 0,
    quantity: credits,
    created_at: new Date(),
    next_try_at: new Date(Date.now() + 60_000),
    ...fields,
  })
  if (stripe_session_id) await attachSession(db, { id: intent.id, stripe_session_id })
  return intent as Purchase
}

/** The same, paid: its intent is settled, and granting the credits is left to the caller. */
export async function buildSettledPurchase(
  { server, worker }: Pick<TestDatabase, 'server' | 'worker'>,
  options: Parameters<typeof buildPurchase>[1] & { stripe_session_id: string },
): Promise<Purchase> {
  const intent = await buildPurchase(server, options)
  const { stripe_session_id } = options
  await worker
    .transaction()
    .execute((trx) => recordOutcome(trx, { state: 'settled', id: intent.id, stripe_session_id }))
  return intent
}

export interface PlanTerms {
  readonly plan_type?: PlanType
  readonly billing_frequency?: BillingFrequency
  readonly currency?: Currency
  readonly seats?: number
  readonly trial_days?: number
  readonly credits_per_seat?: number
  /** The price of one seat and period. */
  readonly price_minor?: number
}

/** An order of Pro by the month, or what the terms say; without the catalogue's they are those of an old offer. */
export async function buildPlanOrder(
  { owner: db }: Pick<TestDatabase, 'owner'>,
  {
    plan_type = 'pro',
    billing_frequency = 'monthly',
    currency = 'EUR',
    seats = 1,
    trial_days = 0,
    credits_per_seat,
    price_minor,
    ...order
  }: PlanTerms & Pick<NewCheckoutIntent, 'user_id'> & Partial<NewCheckoutIntent>,
): Promise<CheckoutIntent> {
  const sold = { plan_type, billing_frequency, currency }
  const terms = {
    ...(credits_per_seat && { credits: credits_per_seat }),
    ...(price_minor && { price_minor }),
  }
  return insertIntent(db, {
    id: randomUUID(),
    owner_id: order.user_id,
    offer_id: await offerFor(db, sold, { ...terms, trial_days, quantity: seats }),
    quantity: seats,
    trial_days,
    created_at: new Date(),
    next_try_at: new Date(Date.now() + 3_600_000),
    ...order,
  })
}

/** The latest offer that allows these terms, or one with them from before the first. */
async function offerFor(
  db: Database,
  sold: Sold,
  { trial_days, quantity, ...terms }: Partial<KnownOffer> & { trial_days: number; quantity: number },
): Promise<number> {
  const offers = await listOffers(db, sold)
  const has = (offer: KnownOffer) =>
    offer.trial_days >= trial_days &&
    offer.maximum_quantity >= quantity &&
    Object.entries(terms).every(([name, value]) => offer[name as keyof KnownOffer] === value)
  const known = offers.find(has)
  if (known) return known.id
  const [latest] = offers
  if (!latest) throw new Error(`There is no offer of ${JSON.stringify(sold)}`)
  const { id: _, ...common } = latest
  const made = { ...common, ...terms, trial_days, maximum_quantity: 100, valid_from: new Date(0) }
  return (await db.insertInto('offers').values(made).returning('id').executeTakeFirstOrThrow()).id
}

/** From now on plans for one person are sold with so many free days. */
export async function offerTrial({ owner }: Pick<TestDatabase, 'owner'>, trial_days: number): Promise<void> {
  const sold = personalPlans.map(({ plan_type }) => plan_type)
  await sql`
    INSERT INTO offers (plan_type, billing_frequency, currency, units, credits, price_minor, minimum_quantity, maximum_quantity,
      trial_days, valid_from)
    SELECT DISTINCT ON (plan_type, billing_frequency, currency) plan_type, billing_frequency, currency, units, credits, price_minor,
      minimum_quantity, maximum_quantity, ${trial_days}::integer, clock_timestamp()
    FROM offers WHERE plan_type = ANY (${sold}) ORDER BY plan_type, billing_frequency, currency, valid_from DESC`.execute(
    owner,
  )
}
