import { expect, it } from 'vitest'
import { invitationOf, type ListedInvitation } from './InvitePage.tsx'

const invitation = (
  id: string,
  status: ListedInvitation['status'],
  day: number,
  organization = 'org_harbour',
): ListedInvitation => ({
  id,
  status,
  createdAt: new Date(Date.UTC(2026, 0, day)),
  publicOrganizationData: { id: organization },
})
const link = { organizationId: 'org_harbour', invitationId: 'orginv_2' }
const found = (...invitations: ListedInvitation[]) => invitationOf(invitations, link)?.id

it('invitationOf prefers an open invitation to the one that the link names', () => {
  expect(found(invitation('orginv_2', 'revoked', 2), invitation('orginv_1', 'pending', 1))).toBe('orginv_1')
})

it('invitationOf tells of the named one, or of the latest, where none is open', () => {
  expect(found(invitation('orginv_2', 'expired', 1), invitation('orginv_3', 'revoked', 3))).toBe('orginv_2')
  expect(found(invitation('orginv_8', 'expired', 1), invitation('orginv_9', 'revoked', 3))).toBe('orginv_9')
})

it('invitationOf knows nothing of other organizations', () => {
  expect(found(invitation('orginv_2', 'pending', 1, 'org_other'))).toBeUndefined()
})
