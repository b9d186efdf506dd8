import type { Membership } from '../../schema/clerk/memberships.ts'
import type { UserRecord } from '../../schema/users/users.ts'
import type { Payer } from './stripe-customer.ts'

/** A person who pays for themselves. */
export function personalPayer(user: UserRecord): Payer {
  return {
    owner: { owner_kind: 'user', owner_id: user.clerk_id },
    email: user.email,
    name: fullName(user),
    user_id: user.clerk_id,
  }
}

/** An organization, whose invoices go to the admin who was first to buy for it. */
export function organizationPayer(admin: Membership): Payer {
  return {
    owner: { owner_kind: 'organization', owner_id: admin.organization_id },
    email: admin.email,
    name: admin.organization_name,
    user_id: admin.user_id,
  }
}

/** An organization that is made when it is paid. */
export function newOrganizationPayer(user: UserRecord): Payer {
  return { ...personalPayer(user), owner: null }
}

function fullName(user: UserRecord): string | null {
  return [user.first_name, user.last_name].filter(Boolean).join(' ') || null
}
