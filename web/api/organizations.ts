import { queryOptions } from '@tanstack/react-query'
import { getOrganizationPeople } from '../../schema/api/organization-people.ts'
import { getOrganizationSeats } from '../../schema/api/organization-seats.ts'
import { getOrganizationCredits, getOrganizationSubscription } from '../../schema/api/organizations.ts'
import { listTeamInvitations } from '../../schema/api/team-invitations.ts'
import type { Api } from './client.ts'
import { ApiFailure } from './failure.ts'

/** An organization and who looks at it: admins are told more than members, so both are in every key. */
export interface OrganizationView {
  organizationId: string
  userId: string
}

export function organizationSubscriptionQuery(api: Api, { organizationId, userId }: OrganizationView) {
  return queryOptions({
    queryKey: ['organization-subscription', organizationId, userId],
    queryFn: ({ signal }) => api(getOrganizationSubscription, { query: { orgId: organizationId }, signal }),
  })
}

export function organizationCreditsQuery(api: Api, { organizationId, userId }: OrganizationView) {
  return queryOptions({
    queryKey: ['organization-credits', organizationId, userId],
    queryFn: ({ signal }) => api(getOrganizationCredits, { query: { org_id: organizationId }, signal }),
  })
}

export function organizationSeatsQuery(api: Api, { organizationId, userId }: OrganizationView) {
  return queryOptions({
    queryKey: ['organization-seats', organizationId, userId],
    queryFn: async ({ signal }) =>
      (await api(getOrganizationSeats, { query: { org_id: organizationId }, signal })).data,
  })
}

export function organizationPeopleQuery(api: Api, { organizationId, userId }: OrganizationView) {
  return queryOptions({
    queryKey: ['organization-people', organizationId, userId],
    queryFn: ({ signal }) => api(getOrganizationPeople, { query: { org_id: organizationId }, signal }),
  })
}

/** The list by subscription id, the only id after a payment; its organization may still be missing. */
export function subscriptionInvitationsQuery(api: Api, subscriptionId: string) {
  return queryOptions({
    queryKey: ['team-invitations', 'of-subscription', subscriptionId],
    queryFn: ({ signal }) => api(listTeamInvitations, { query: { subscription_id: subscriptionId }, signal }),
    retry: (failures, error) => {
      const final =
        error instanceof ApiFailure && error.final && error.code !== 'organization_not_initialized'
      return failures < 4 && !final
    },
  })
}
