import type { Membership } from '../../schema/clerk/memberships.ts'
import { findStripeCustomer, saveStripeCustomer } from '../../schema/customers/customers.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import type { UserRecord } from '../../schema/users/users.ts'
import type { Dependencies } from '../dependencies.ts'

/** Who Stripe writes invoices to. */
export interface Payer {
  /** Null for an organization that does not exist yet: its customer is created for this one checkout. */
  readonly owner: Owner | null
  readonly email: string
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
 * The payer's customer at Stripe, created when it is first needed. Stripe repeats its answer to an idempotency key for a day, also
 * an error, so the key belongs to the attempt (an intent's id): otherwise one failure would block the payer until the next day.
 * Two tabs may create two customers; the first one saved is used by both.
 */
export async function ensureStripeCustomer(
  deps: Pick<Dependencies, 'db' | 'stripe'>,
  payer: Payer,
  attempt: string,
): Promise<string> {
  const { owner } = payer
  const known = owner && (await findStripeCustomer(deps.db, owner))
  if (known) return known
  const customer = await deps.stripe.customers.create(
    {
      email: payer.email,
      ...(payer.name && { name: payer.name }),
      metadata: {
        clerkUserId: payer.user_id,
        ...(owner?.owner_kind === 'organization' && { organizationId: owner.owner_id }),
      },
    },
    { idempotencyKey: `customer/${attempt}` },
  )
  return owner ? saveStripeCustomer(deps.db, { ...owner, customer_id: customer.id }) : customer.id
}
