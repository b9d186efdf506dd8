import type { ClerkDirectory } from '../../schema/vendors/clerk/directory.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { withoutWrites } from './dry-run-stripe.ts'

/**
 * The dependencies of a dry run: what only reads goes to Clerk and Stripe, what would change something at
 * Clerk is answered as if it had been done, and at Stripe with the object as it is.
 */
export function withoutEffects(deps: WorkerDependencies): WorkerDependencies {
  const { clerk, now } = deps
  const harmless: ClerkDirectory = {
    findMembership: (key) => clerk.findMembership(key),
    findMemberByEmail: (key) => clerk.findMemberByEmail(key),
    listMembers: (organizationId) => clerk.listMembers(organizationId),
    listEmailAddresses: (userId) => clerk.listEmailAddresses(userId),
    findInvitation: (key) => clerk.findInvitation(key),
    listInvitations: (...asked) => clerk.listInvitations(...asked),
    findOccupancy: (organizationId) => clerk.findOccupancy(organizationId),
    identify: (owner_id) => clerk.identify(owner_id),
    isGone: (owner_id) => clerk.isGone(owner_id),
    isSupportStaff: (userId) => clerk.isSupportStaff(userId),
    sendInvitation: async ({ invitation_id, organization_id, email, role, lifetime_days }) => ({
      invitation_id,
      organization_id,
      email,
      role,
      clerk_invitation_id: `orginv_dry_run_${invitation_id}`,
      status: 'pending',
      expires_at: new Date(now().getTime() + lifetime_days * 24 * 3600 * 1000),
    }),
    revokeInvitation: async () => undefined,
    setMembershipLimit: async () => undefined,
    deleteUser: async () => undefined,
  }
  return {
    ...deps,
    clerk: harmless,
    stripe: withoutWrites(deps.stripe),
    organizations: { makeOrganization: async () => 'org_thatIsToBeCreated' },
  }
}
