/**
 * Every type of event that we handle, by the object that such an event is about: what Clerk's webhook has to
 * be set up to send, and what the metrics count by name. What is fetched for which object is in
 * `worker/events/clerk-subject.ts`.
 */
const typesByObject = {
  user: ['user.created', 'user.updated', 'user.deleted'],
  membership: [
    'organizationMembership.created',
    'organizationMembership.updated',
    'organizationMembership.deleted',
  ],
  invitation: [
    'organizationInvitation.created',
    'organizationInvitation.accepted',
    'organizationInvitation.revoked',
  ],
  organization: ['organization.updated', 'organization.deleted'],
} as const

export type ClerkEventObject = keyof typeof typesByObject
export type ClerkEventType = (typeof typesByObject)[ClerkEventObject][number]

export const clerkEventTypes: readonly ClerkEventType[] = Object.values(typesByObject).flat()

const objects: ReadonlyMap<string, ClerkEventObject> = new Map(
  Object.entries(typesByObject).flatMap(([object, types]) =>
    types.map((type) => [type, object as ClerkEventObject]),
  ),
)

/** What an event of this type is about; undefined for a type that we do not handle. */
export function objectOfClerkEvent(type: string): ClerkEventObject | undefined {
  return objects.get(type)
}
