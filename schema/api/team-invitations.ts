import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { organizationIdSchema } from './ids.ts'
import { seatRoleSchema } from './organization-seats.ts'
import { teamEmailSchema } from './team-email.ts'

export const teamInvitationSchema = z.object({
  id: z.uuid(),
  /** The Stripe id of the subscription whose seat it holds. */
  subscription_id: z.string(),
  organization_id: z.string(),
  /** Null when it was sent from the settings of the organization, which do not say who sent it. */
  inviter_id: z.nullable(z.string()),
  email: z.string(),
  role: seatRoleSchema,
  clerk_invitation_id: z.nullable(z.string()),
  status: z.enum(['pending', 'accepted', 'expired', 'revoked']),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** When it will be sent, if there were too many invitations to send it at once; else null. */
  sends_at: z.nullable(z.iso.datetime()),
  /** The link to copy, for the user of the invited address. Null when the invitation is not open. */
  url: z.nullable(z.url()),
})
export type TeamInvitation = z.infer<typeof teamInvitationSchema>

const subscriptionId = z.string().check(z.minLength(1), z.maxLength(255))

/**
 * An organization is named by its own id, or by that of its subscription, which is the only id that the
 * return page of a payment has.
 */
const oneOf = { message: 'Name either org_id or subscription_id', path: ['org_id'] }
const namesOne = (claim: { org_id?: string | undefined; subscription_id?: string | undefined }) =>
  (claim.org_id === undefined) !== (claim.subscription_id === undefined)

export const listTeamInvitations = endpoint({
  method: 'GET',
  path: '/api/team-invitations',
  summary: 'Invitations of an organization or of its subscription, newest first; for admins',
  auth: 'user',
  limit: 'read',
  query: z
    .strictObject({ org_id: z.optional(organizationIdSchema), subscription_id: z.optional(subscriptionId) })
    .check(z.refine(namesOne, oneOf)),
  response: z.object({
    invitations: z.array(teamInvitationSchema),
    /** How many more can be invited. */
    remaining: z.int(),
    seats_total: z.int(),
  }),
})

export const sendTeamInvitation = endpoint({
  method: 'POST',
  path: '/api/team-invitations',
  summary: 'Invite a person by email; the invitation holds a seat; for admins',
  auth: 'user',
  limit: 'write',
  body: z
    .strictObject({
      org_id: z.optional(organizationIdSchema),
      subscription_id: z.optional(subscriptionId),
      email: teamEmailSchema,
      role: z._default(seatRoleSchema, 'member'),
    })
    .check(z.refine(namesOne, oneOf)),
  response: z.object({ success: z.literal(true), invitation: teamInvitationSchema, message: z.string() }),
})

export const revokeTeamInvitation = endpoint({
  method: 'POST',
  path: '/api/team-invitations/revoke',
  summary: 'Revoke a pending invitation and free its seat; for admins',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({ id: z.uuid() }),
  response: z.object({ success: z.literal(true), invitation: teamInvitationSchema, message: z.string() }),
})
