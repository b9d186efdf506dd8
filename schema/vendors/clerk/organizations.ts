import type { ClerkClient } from '@clerk/backend'
import { askClerk } from './client.ts'
import { ClerkRefusalError } from './errors.ts'
import { countOpenInvitations } from './invitations.ts'

export interface OrganizationRequest {
  readonly name: string
  /** Becomes its first admin. */
  readonly created_by: string
  /** Stored in its metadata, so that a second attempt finds the organization of the first. */
  readonly intent_id: string
  readonly seats: number
}

/** Creates organizations for plans that were bought without one. */
export interface OrganizationMaker {
  /** The intent's organization, found or created. No idempotency keys: never run two attempts at once. */
  makeOrganization(request: OrganizationRequest): Promise<string>
}

export function createOrganizationMaker(api: ClerkClient): OrganizationMaker {
  return {
    async makeOrganization(request) {
      const memberships = await askClerk(
        'Reading memberships',
        api.users.getOrganizationMembershipList({ userId: request.created_by, limit: 100 }),
      )
      const made = memberships?.data.find(
        ({ organization }) => organization.privateMetadata?.intentId === request.intent_id,
      )
      if (made) return made.organization.id
      const created = await askClerk(
        'Creating an organization',
        api.organizations.createOrganization({
          name: request.name,
          createdBy: request.created_by,
          maxAllowedMemberships: request.seats,
          privateMetadata: { intentId: request.intent_id },
        }),
      )
      if (!created) {
        const cause = new Error(`Clerk does not know ${request.created_by}`)
        throw new ClerkRefusalError('user_not_found', { cause })
      }
      return created.id
    },
  }
}

/**
 * The most people that the instance lets into an organization; Infinity where it has no limit. No call tells of
 * the cap that Clerk's plan for the application has (20 people without an add-on,
 * https://clerk.com/docs/guides/billing/seat-based-plans), and above it a paid organization is refused with 402.
 * The dashboard takes no higher limit than the plan allows, so this is what is known to be allowed
 * (`OrganizationSettings` in https://github.com/clerk/openapi-specs/blob/main/bapi/2026-05-12.yml).
 */
export async function findMembershipMaximum(api: ClerkClient): Promise<number> {
  const settings = await askClerk(
    'Reading the settings of organizations',
    api.instance.getOrganizationSettings(),
  )
  return settings?.maxAllowedMemberships || Number.POSITIVE_INFINITY
}

/** How many people are in an organization or invited, and how many Clerk allows. */
export interface OrganizationOccupancy {
  readonly members: number
  readonly invited: number
  /** Members and open invitations together; 0 is no limit. */
  readonly limit: number
}

/** Null when the organization does not exist (any more). */
export async function findOccupancy(
  api: ClerkClient,
  organizationId: string,
): Promise<OrganizationOccupancy | null> {
  const organization = await askClerk(
    'Reading an organization',
    api.organizations.getOrganization({ organizationId, includeMembersCount: true }),
  )
  if (!organization) return null
  return {
    members: organization.membersCount ?? 0,
    invited: await countOpenInvitations(api, organizationId),
    limit: organization.maxAllowedMemberships,
  }
}

export async function setMembershipLimit(
  api: ClerkClient,
  { organization_id, limit }: { organization_id: string; limit: number },
): Promise<void> {
  await askClerk(
    'Setting the limit of an organization',
    api.organizations.updateOrganization(organization_id, { maxAllowedMemberships: limit }),
  )
}
