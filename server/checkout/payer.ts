import { randomUUID } from 'node:crypto'
import Stripe from 'stripe'
import {
  beginCreation,
  type CustomerCreation,
  endCreation,
  findStripeCustomer,
  replaceStripeCustomer,
  saveStripeCustomer,
} from '../../schema/billing/customers/customers.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import type { UserRecord } from '../../schema/people/users/users.ts'
import type { Membership } from '../../schema/vendors/clerk/memberships.ts'
import { isMissing } from '../../schema/vendors/stripe/missing.ts'
import type { Dependencies } from '../dependencies.ts'

/** The recipient of Stripe's invoices. */
export interface Payer {
  /** Null for an organization that does not exist yet: its customer is created for this one checkout. */
  readonly owner_id: string | null
  /** Null when Clerk has none. */
  readonly email: string | null
  readonly name: string | null
  /** The acting user; for an organization, the admin. */
  readonly user_id: string
}

export type OwningPayer = Payer & { readonly owner_id: string }

export function personalPayer(user: UserRecord): OwningPayer {
  return {
    owner_id: user.clerk_id,
    email: user.email,
    name: fullName(user),
    user_id: user.clerk_id,
  }
}

/** An organization, whose invoices go to the admin who bought for it first. */
export function organizationPayer(admin: Membership): OwningPayer {
  return {
    owner_id: admin.organization_id,
    email: admin.email,
    name: admin.organization_name,
    user_id: admin.user_id,
  }
}

/** An organization that is created when the plan is paid. */
export function newOrganizationPayer(user: UserRecord): Payer {
  return { ...personalPayer(user), owner_id: null }
}

function fullName(user: UserRecord): string | null {
  return [user.first_name, user.last_name].filter(Boolean).join(' ') || null
}

/**
 * The payer's Stripe customer, created on first need, and again when it was deleted at Stripe. Concurrent
 * callers ask Stripe under one key and so get one customer. Stripe repeats its answer to a key for a day,
 * failures too, so a key that was refused is not used again: a short outage at Stripe must not block a
 * purchase until the next day.
 *
 * A payer that does not exist yet has a customer for each attempt (an intent's id).
 */
export async function ensureStripeCustomer(
  deps: Pick<Dependencies, 'db' | 'stripe'>,
  payer: Payer,
  attempt: string,
): Promise<string> {
  const { owner_id } = payer
  const params = customerParams(payer)
  if (!owner_id) {
    return (await deps.stripe.customers.create(params, { idempotencyKey: `customer/${attempt}` })).id
  }
  const known = await findStripeCustomer(deps.db, owner_id)
  if (known && (await isThere(deps.stripe, known))) return known
  const creation = await beginCreation(deps.db, {
    owner_id,
    creation_key: randomUUID(),
    params: JSON.stringify(params),
  })
  try {
    // A concurrent caller may have finished between the read and the claim.
    const stored = await findStripeCustomer(deps.db, owner_id)
    const customer_id =
      stored !== undefined && stored !== known ? stored : await createCustomer(deps, creation, known)
    await endCreation(deps.db, creation)
    return customer_id
  } catch (error) {
    if (isAnswered(error)) await endCreation(deps.db, creation)
    throw error
  }
}

async function createCustomer(
  { db, stripe }: Pick<Dependencies, 'db' | 'stripe'>,
  { owner_id, creation_key, params }: CustomerCreation,
  known: string | undefined,
): Promise<string> {
  const { id: customer_id } = await stripe.customers.create(
    JSON.parse(params) as Stripe.CustomerCreateParams,
    { idempotencyKey: `customer/${creation_key}` },
  )
  const customer = { owner_id, customer_id }
  return known
    ? replaceStripeCustomer(db, { ...customer, deleted_id: known })
    : saveStripeCustomer(db, customer)
}

function customerParams({ owner_id, email, name, user_id }: Payer): Stripe.CustomerCreateParams {
  return {
    ...(email && { email }),
    ...(name && { name }),
    metadata: {
      clerkUserId: user_id,
      // What the worker compares Clerk's with: see `copyContactToStripe`.
      ...(email && { clerkEmail: email }),
      ...(name && { clerkName: name }),
      ...(owner_id !== null && kindOf(owner_id) === 'organization' && { organizationId: owner_id }),
    },
  }
}

/** Whether Stripe has decided; after no answer, a 409 or a 429 a customer may exist. */
function isAnswered(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false
  const { statusCode } = error
  return statusCode !== undefined && statusCode !== 409 && statusCode !== 429
}

/** Stripe marks deleted customers; one of another account or mode is unknown to it. */
async function isThere(stripe: Stripe, customerId: string): Promise<boolean> {
  try {
    return !(await stripe.customers.retrieve(customerId)).deleted
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
