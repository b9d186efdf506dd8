import { getOrganizationPeople } from '../../schema/api/organization-people.ts'
import { sumUsageByUser } from '../../schema/ledger/spend/usage.ts'
import { listInvitations } from '../../schema/people/invitations/invitations.ts'
import { listSeats } from '../../schema/people/seats/seats.ts'
import { rowsFailure } from '../failures.ts'
import { presentMember, presentPeople } from '../organizations/people.ts'
import { usageSince } from '../organizations/usage-since.ts'
import { members } from '../rights.ts'
import { route } from '../route.ts'

export const organizationPeopleRoutes = [
  // As for seats: the addresses of colleagues are for admins (decision 043).
  route(getOrganizationPeople, {
    rights: members({ organization: ({ query }) => query.org_id }),
    failure: rowsFailure('Failed to load members'),
  }).handle(async ({ query, member }, { db, clerk, settings, now }) => {
    const { org_id: organization_id } = query

    const since = await usageSince(db, organization_id, now())
    const [seats, used] = await Promise.all([
      listSeats(db, organization_id),
      sumUsageByUser(db, organization_id, since),
    ])
    if (member.role !== 'admin') {
      const { user_id, name, email, role } = member
      const used_credits = used.get(user_id) ?? 0
      const people = [{ ...presentMember({ user_id, name, email, role }, seats), used_credits }]
      return { people, since: since.toISOString() }
    }
    const [listed, open, invitations] = await Promise.all([
      clerk.listMembers(organization_id),
      clerk.listInvitations(organization_id, 'pending'),
      listInvitations(db, { organization_id }),
    ])
    const people = presentPeople(settings, { members: listed ?? [], open, seats, invitations, used })
    return { people, since: since.toISOString() }
  }),
]
