import type { Service } from '../service.ts'
import type { InvitationStatus, Organization, OrganizationInvitation } from '../state.ts'

/** Nothing happens at the moment an invitation expires; it only counts as expired from then on. */
export function invitationStatus(
  service: Pick<Service, 'nowMs'>,
  invitation: OrganizationInvitation,
): InvitationStatus {
  const isOver = invitation.status === 'pending' && invitation.expires_at < service.nowMs()
  return isOver ? 'expired' : invitation.status
}

export function pendingInvitations(service: Service, organization: Organization): OrganizationInvitation[] {
  return service.store.invitations.filter(
    (row) => row.organization_id === organization.id && invitationStatus(service, row) === 'pending',
  )
}
