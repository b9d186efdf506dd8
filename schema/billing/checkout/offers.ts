import { type Kysely, type Selectable, sql } from 'kysely'
import type pg from 'pg'
import { catalogueOffers, type Offer } from '../../catalogue/offers.ts'
import { plans } from '../../catalogue/plans.ts'
import type { DB, Offers } from '../../database/types.ts'

export type KnownOffer = Selectable<Offers>

/** A plan with its period, or credits. */
export type Sold = Pick<Offer, 'plan_type' | 'billing_frequency' | 'currency'>

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

const terms =
  'plan_type, billing_frequency, currency, units, credits, price_minor, trial_days, minimum_quantity, maximum_quantity'

/**
 * Adds the plans and offers of the catalogue that a database lacks: what has changed is a new offer. For the
 * migrator only.
 */
export async function writeCatalogue(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const planTypes = plans.map(({ plan_type }) => plan_type)
  await client.query('INSERT INTO plans SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [planTypes])
  await client.query(
    `INSERT INTO offers (${terms})
     SELECT ${terms} FROM jsonb_populate_recordset(NULL::offers, $1)
     EXCEPT (
       SELECT DISTINCT ON (plan_type, billing_frequency, currency) ${terms} FROM offers
       ORDER BY plan_type, billing_frequency, currency, valid_from DESC)`,
    [JSON.stringify(catalogueOffers)],
  )
}
