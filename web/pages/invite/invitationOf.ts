export interface ListedInvitation {
  readonly id: string
  readonly status: 'pending' | 'accepted' | 'revoked' | 'expired'
  readonly createdAt: Date
  readonly publicOrganizationData: { readonly id: string }
}

/**
 * The invitation of a link among those of the signed-in user. Links have Clerk's id or ours, and the list
 * only Clerk's, so the organization decides: of several invitations to one, the open one, else the named one,
 * else the latest.
 */
export function invitationOf<T extends ListedInvitation>(
  invitations: readonly T[],
  link: { readonly organizationId: string; readonly invitationId: string },
): T | null {
  const theirs = invitations
    .filter(({ publicOrganizationData }) => publicOrganizationData.id === link.organizationId)
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
  const open = theirs.find(({ status }) => status === 'pending')
  return open ?? theirs.find(({ id }) => id === link.invitationId) ?? theirs[0] ?? null
}
