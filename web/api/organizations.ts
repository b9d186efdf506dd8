import { queryOptions } from '@tanstack/react-query'
import { getOrganizationPeople } from '../../schema/api/organization-people.ts'
import { getOrganizationSeats } from '../../schema/api/organization-seats.ts'
import { getOrganizationCredits, getOrganizationSubscription } from '../../schema/api/organizations.ts'
import { listTeamInvitations } from '../../schema/api/team-invitations.ts'
import type { PayerView } from './account.ts'
import { type Api, readOf } from './client.ts'
import { ApiFailure } from './failure.ts'

export const organizationSubscriptionQuery = (api: Api, { payer, userId }: PayerView) =>
  readOf(api, getOrganizationSubscription, [userId], { orgId: payer })

export const organizationCreditsQuery = (api: Api, { payer, userId }: PayerView) =>
  readOf(api, getOrganizationCredits, [userId], { org_id: payer })

export const organizationSeatsQuery = (api: Api, { payer, userId }: PayerView) =>
  queryOptions({
    ...readOf(api, getOrganizationSeats, [userId], { org_id: payer }),
    select: ({ data }) => data,
  })

export const organizationPeopleQuery = (api: Api, { payer, userId }: PayerView) =>
  readOf(api, getOrganizationPeople, [userId], { org_id: payer })

/** The list by subscription id, the only id after a payment; its organization may still be missing. */
export const subscriptionInvitationsQuery = (api: Api, subscription_id: string) =>
  queryOptions({
    ...readOf(api, listTeamInvitations, [], { subscription_id }),
    retry: (failures, error) => {
      const final =
        error instanceof ApiFailure && error.final && error.code !== 'organization_not_initialized'
      return failures < 4 && !final
    },
  })
