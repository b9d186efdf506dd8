import Stripe from 'stripe'
import type { Membership } from '../../schema/clerk/memberships.ts'
import {
  findStripeCustomer,
  replaceStripeCustomer,
  saveStripeCustomer,
} from '../../schema/customers/customers.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import type { UserRecord } from '../../schema/users/users.ts'
import type { Dependencies } from '../dependencies.ts'

/** Who Stripe writes invoices to. */
export interface Payer {
  /** Null for an organization that does not exist yet: its customer is created for this one checkout. */
  readonly owner: Owner | null
  /** Null when Clerk has none. */
  readonly email: string | null
  readonly name: string | null
  /** Who acts; for an organization, the admin. */
  readonly user_id: string
}

/** A person who pays for themselves. */
export function personalPayer(user: UserRecord): Payer {
  return {
    owner: { owner_kind: 'user', owner_id: user.clerk_id },
    email: user.email,
    name: fullName(user),
    user_id: user.clerk_id,
  }
}

/** An organization, whose invoices go to the admin who bought for it first. */
export function organizationPayer(admin: Membership): Payer & { readonly owner: Owner } {
  return {
    owner: { owner_kind: 'organization', owner_id: admin.organization_id },
    email: admin.email,
    name: admin.organization_name,
    user_id: admin.user_id,
  }
}

/** An organization that is created when the plan is paid. */
export function newOrganizationPayer(user: UserRecord): Payer {
  return { ...personalPayer(user), owner: null }
}

function fullName(user: UserRecord): string | null {
  return [user.first_name, user.last_name].filter(Boolean).join(' ') || null
}

/**
 * The payer's customer at Stripe, made when it is first needed, and again when somebody has deleted it there. Stripe repeats its
 * answer to a key for a day, failures too, so the key is that of the attempt (an intent's id): a bad minute at Stripe must not keep
 * somebody from buying until tomorrow. Two tabs may make two customers; the first that is stored is used by both.
 */
export async function ensureStripeCustomer(
  deps: Pick<Dependencies, 'db' | 'stripe'>,
  payer: Payer,
  attempt: string,
): Promise<string> {
  const { owner } = payer
  const known = owner && (await findStripeCustomer(deps.db, owner))
  if (known && (await isThere(deps.stripe, known))) return known
  const { id: customer_id } = await deps.stripe.customers.create(
    {
      ...(payer.email && { email: payer.email }),
      ...(payer.name && { name: payer.name }),
      metadata: {
        clerkUserId: payer.user_id,
        ...(owner?.owner_kind === 'organization' && { organizationId: owner.owner_id }),
      },
    },
    { idempotencyKey: `customer/${attempt}` },
  )
  if (!owner) return customer_id
  return known
    ? replaceStripeCustomer(deps.db, { ...owner, customer_id, deleted_id: known })
    : saveStripeCustomer(deps.db, { ...owner, customer_id })
}

/** Stripe keeps telling that a customer was deleted; one of another account or mode it does not know at all. */
async function isThere(stripe: Stripe, customerId: string): Promise<boolean> {
  try {
    return !(await stripe.customers.retrieve(customerId)).deleted
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return false
    throw error
  }
}
