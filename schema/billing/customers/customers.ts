import type { Kysely } from 'kysely'
import type { DB } from '../../database/types.ts'
import { inThisMode } from '../../vendors/stripe/mode.ts'

/**
 * An owner has a customer in test mode and another one in live mode; this is the one of the process's key.
 */
export async function findStripeCustomer(db: Kysely<DB>, owner_id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('stripe_customers')
    .select('customer_id')
    .where('owner_id', '=', owner_id)
    .where(inThisMode('stripe_customers'))
    .executeTakeFirst()
  return row?.customer_id
}

/** The customers of organizations that a user has bought a plan or credits for. */
export async function listCustomersPaidBy(db: Kysely<DB>, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('stripe_customers')
    .select('customer_id')
    .where(inThisMode('stripe_customers'))
    .where('owner_id', 'in', (query) =>
      query
        .selectFrom('checkout_intents')
        .select((row) => row.ref('owner_id').$notNull().as('owner_id'))
        .where('user_id', '=', userId)
        .where('owner_id', '<>', userId)
        .where('state', '=', 'settled'),
    )
    .orderBy('customer_id')
    .execute()
  return rows.map(({ customer_id }) => customer_id)
}

/** Whose customer it is; undefined for one that we did not make, and for one that was replaced. */
export async function findOwnerOfCustomer(db: Kysely<DB>, customerId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('stripe_customers')
    .select('owner_id')
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  return row?.owner_id
}

/**
 * Stores another customer in place of one that was deleted at Stripe. The first who replaces it wins; returns
 * the one that is stored.
 */
export async function replaceStripeCustomer(
  db: Kysely<DB>,
  customer: { readonly owner_id: string; readonly customer_id: string; readonly deleted_id: string },
): Promise<string> {
  const replaced = await db
    .updateTable('stripe_customers')
    .set({ customer_id: customer.customer_id })
    .where('owner_id', '=', customer.owner_id)
    .where('customer_id', '=', customer.deleted_id)
    .returning('customer_id')
    .executeTakeFirst()
  return replaced?.customer_id ?? (await findStripeCustomer(db, customer.owner_id)) ?? customer.customer_id
}

/**
 * Stores the payer's customer. The first one wins, so that two tabs agree; returns the one that is stored.
 */
export async function saveStripeCustomer(
  db: Kysely<DB>,
  customer: { readonly owner_id: string; readonly customer_id: string },
): Promise<string> {
  const inserted = await db
    .insertInto('stripe_customers')
    .values({
      owner_id: customer.owner_id,
      customer_id: customer.customer_id,
    })
    .onConflict((conflict) => conflict.columns(['owner_id', 'livemode']).doNothing())
    .returning('customer_id')
    .executeTakeFirst()
  return inserted?.customer_id ?? (await findStripeCustomer(db, customer.owner_id)) ?? customer.customer_id
}

/** What a customer is made with at Stripe. */
export interface CustomerCreation {
  readonly owner_id: string
  /** Stripe's idempotency key. */
  readonly creation_key: string
  /** JSON. */
  readonly params: string
}

/** Begins to make a payer's customer. Callers at the same moment get what the first one began with. */
export async function beginCreation(db: Kysely<DB>, creation: CustomerCreation): Promise<CustomerCreation> {
  const { owner_id } = creation
  for (;;) {
    const inserted = await db
      .insertInto('customer_creations')
      .values(creation)
      .onConflict((conflict) => conflict.column('owner_id').doNothing())
      .returning('creation_key')
      .executeTakeFirst()
    if (inserted) return creation
    const known = await db
      .selectFrom('customer_creations')
      .select(['creation_key', 'params'])
      .where('owner_id', '=', owner_id)
      .executeTakeFirst()
    // The other one has just finished.
    if (known) return { owner_id, ...known }
  }
}

/** Ends it: the customer is stored, or Stripe refused, and would repeat that for a day. */
export async function endCreation(db: Kysely<DB>, creation: CustomerCreation): Promise<void> {
  await db
    .deleteFrom('customer_creations')
    .where('owner_id', '=', creation.owner_id)
    .where('creation_key', '=', creation.creation_key)
    .execute()
}

/**
 * Deletes what a customer was about to be made with, which has a name and an address. Returns whether there
 * was something.
 */
export async function deleteCreationOf(db: Kysely<DB>, owner_id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('customer_creations')
    .where('owner_id', '=', owner_id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
