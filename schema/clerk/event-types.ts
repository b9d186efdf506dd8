/**
 * Every type of event that we handle: what Clerk's webhook has to be set up to send, what
 * `worker/events/clerk-event.ts` has a handler for, and what the metrics count by name.
 */
export const clerkEventTypes = [
  'user.created',
  'user.updated',
  'user.deleted',
  'organizationMembership.created',
  'organizationMembership.updated',
  'organizationMembership.deleted',
  'organizationInvitation.created',
  'organizationInvitation.accepted',
  'organizationInvitation.revoked',
  'organization.updated',
  'organization.deleted',
] as const
export type ClerkEventType = (typeof clerkEventTypes)[number]

export function isClerkEventType(type: string): type is ClerkEventType {
  return (clerkEventTypes as readonly string[]).includes(type)
}
