import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { organizationIdSchema, userIdSchema } from './ids.ts'
import { teamEmailSchema } from './team-email.ts'

export const seatRoleSchema = z.enum(['admin', 'member'])

export const seatSchema = z.object({
  /** Null while the seat waits for an invited person. */
  user_id: z.nullable(z.string()),
  email: z.string(),
  role: seatRoleSchema,
  status: z.enum(['active', 'pending', 'revoked', 'expired']),
  assigned_at: z.iso.datetime(),
  /** The team invitation that holds or held the seat. */
  invitation_id: z.nullable(z.uuid()),
})
export type Seat = z.infer<typeof seatSchema>

const seatsSummarySchema = z.object({
  /** Active and pending seats. */
  seats_used: z.int(),
  /** 0 without a live subscription. */
  seats_total: z.int(),
  /** All seats for admins; only their own for members. */
  seats: z.array(seatSchema),
  /** More seats are used than paid for: everyone keeps theirs, but no new ones can be assigned. */
  over_limit: z.boolean(),
  /** A message for admins, if there is one. */
  notice: z.nullable(z.string()),
})
export type SeatsSummary = z.infer<typeof seatsSummarySchema>

export const getOrganizationSeats = endpoint({
  method: 'GET',
  path: '/api/organizations/seats',
  summary: 'Seats of an organization’s subscription; for its members',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ org_id: organizationIdSchema }),
  /** Everything twice, because one consumer reads it at the top level and another under `data`. */
  response: z.object({ ...seatsSummarySchema.shape, data: seatsSummarySchema }),
})

export const assignSeat = endpoint({
  method: 'POST',
  path: '/api/organizations/seats/assign',
  summary: 'Assign a seat to a member, or reserve one and invite; 402 when none is left; for admins',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({
    org_id: organizationIdSchema,
    email: teamEmailSchema,
    role: z._default(seatRoleSchema, 'member'),
  }),
  response: z.object({ success: z.literal(true), seat: seatSchema, message: z.string() }),
})

export const revokeSeat = endpoint({
  method: 'POST',
  path: '/api/organizations/seats/revoke',
  summary: 'Revoke the active seat of a member, who stays in the organization; for admins',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({ org_id: organizationIdSchema, user_id: userIdSchema }),
  response: z.object({ success: z.literal(true), seat: seatSchema, message: z.string() }),
})
