import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { organizationIdSchema } from './ids.ts'
import { seatRoleSchema, seatSchema } from './organization-seats.ts'
import { teamInvitationSchema } from './team-invitations.ts'

const personSchema = z.object({
  /** Null for a person who is invited. */
  user_id: z.nullable(z.string()),
  /** Null for members without a name, and for people who are not members. */
  name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  role: seatRoleSchema,
  is_member: z.boolean(),
  /** Of their latest seat; null when there has been none, as for a member who waits for one. */
  seat: z.nullable(seatSchema.shape.status),
  /** The invitation that holds the seat while it is pending. */
  invitation: z.nullable(teamInvitationSchema),
  /** Credits of the organization that they have used since `since`. */
  used_credits: z.int(),
})
export type OrganizationPerson = z.infer<typeof personSchema>

export const getOrganizationPeople = endpoint({
  method: 'GET',
  path: '/api/organizations/people',
  summary:
    'The people in an organization or invited to it, with seat and usage this month; a member sees themselves',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ org_id: organizationIdSchema }),
  response: z.object({
    /** Members, then open invitations, then people whose seat has ended. */
    people: z.array(personSchema),
    /** The start of the billing month; of the calendar month (UTC) for an organization without a plan. */
    since: z.iso.datetime(),
  }),
})
