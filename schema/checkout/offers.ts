import { type Kysely, type Selectable, sql } from 'kysely'
import type { Currency } from '../catalogue/currency.ts'
import { catalogueOffers, type Offer } from '../catalogue/offers.ts'
import { type BillingFrequency, type PlanType, plans } from '../catalogue/plans.ts'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB, Offers } from '../database/types.ts'

export type KnownOffer = Selectable<Offers>

/** Of a plan, or of credits. */
export type Sold =
  | {
      readonly plan_type: PlanType
      readonly billing_frequency: BillingFrequency
      readonly currency: Currency
    }
  | { readonly plan_type: null; readonly billing_frequency: null; readonly currency: Currency }

/** What is sold now, as the buyer may have it: a trial is for those who have never bought a plan. */
export async function findOffer(db: Kysely<DB>, sold: Sold, buyer: string): Promise<KnownOffer> {
  const offer = await offersOf(db, sold)
    .select(sql<number>`CASE WHEN has_ever_subscribed(${buyer}) THEN 0 ELSE trial_days END`.as('trial_days'))
    .executeTakeFirst()
  if (!offer) throw new Error(`Nothing is sold for ${JSON.stringify(sold)}: run npm run db:migrate`)
  return offer
}

/** All that were ever sold for this, the latest first. */
export async function listOffers(db: Kysely<DB>, sold: Sold): Promise<KnownOffer[]> {
  return offersOf(db, sold).execute()
}

function offersOf(db: Kysely<DB>, { plan_type, billing_frequency, currency }: Sold) {
  return db
    .selectFrom('offers')
    .selectAll()
    .where('plan_type', 'is not distinct from', plan_type)
    .where('billing_frequency', 'is not distinct from', billing_frequency)
    .where('currency', '=', currency)
    .orderBy('valid_from', 'desc')
}

/**
 * Adds the plans and offers of the catalogue that a database lacks: what has changed is a new offer. For the
 * migrator only. Returns how many offers were added.
 */
export async function writeCatalogue(trx: DatabaseTransaction): Promise<number> {
  await sql`LOCK TABLE offers IN SHARE ROW EXCLUSIVE MODE`.execute(trx)
  await trx
    .insertInto('plans')
    .values(plans.map(({ plan_type }) => ({ plan_type })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const known = await trx
    .selectFrom('offers')
    .selectAll()
    .distinctOn(['plan_type', 'billing_frequency', 'currency'])
    .orderBy('plan_type')
    .orderBy('billing_frequency')
    .orderBy('currency')
    .orderBy('valid_from', 'desc')
    .execute()
  const added = catalogueOffers.filter((offer) => !known.some((one) => isSame(one, offer)))
  if (added.length > 0) await trx.insertInto('offers').values(added).execute()
  return added.length
}

function isSame(known: KnownOffer, offer: Offer): boolean {
  return (Object.keys(offer) as (keyof Offer)[]).every((field) => known[field] === offer[field])
}
