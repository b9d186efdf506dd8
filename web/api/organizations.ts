import { queryOptions } from '@tanstack/react-query'
import { getOrganizationPeople } from '../../schema/api/organization-people.ts'
import { getOrganizationSeats } from '../../schema/api/organization-seats.ts'
import { getOrganizationCredits, getOrganizationSubscription } from '../../schema/api/organizations.ts'
import { listTeamInvitations } from '../../schema/api/team-invitations.ts'
import type { PayerView } from './account.ts'
import type { Api } from './client.ts'
import { ApiFailure } from './failure.ts'

export function organizationSubscriptionQuery(api: Api, { payer, userId }: PayerView) {
  return queryOptions({
    queryKey: ['organization-subscription', payer, userId],
    queryFn: ({ signal }) => api(getOrganizationSubscription, { query: { orgId: payer }, signal }),
  })
}

export function organizationCreditsQuery(api: Api, { payer, userId }: PayerView) {
  return queryOptions({
    queryKey: ['organization-credits', payer, userId],
    queryFn: ({ signal }) => api(getOrganizationCredits, { query: { org_id: payer }, signal }),
  })
}

export function organizationSeatsQuery(api: Api, { payer, userId }: PayerView) {
  return queryOptions({
    queryKey: ['organization-seats', payer, userId],
    queryFn: async ({ signal }) =>
      (await api(getOrganizationSeats, { query: { org_id: payer }, signal })).data,
  })
}

export function organizationPeopleQuery(api: Api, { payer, userId }: PayerView) {
  return queryOptions({
    queryKey: ['organization-people', payer, userId],
    queryFn: ({ signal }) => api(getOrganizationPeople, { query: { org_id: payer }, signal }),
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
