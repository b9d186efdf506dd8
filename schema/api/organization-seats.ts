import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { organizationIdSchema } from './organization-id.ts'
import { teamEmailSchema } from './team-email.ts'

export const seatRoleSchema = z.enum(['admin', 'member'])

export const seatSchema = z.object({
  /** Null while the seat waits for somebody who has been invited. */
  user_id: z.string().nullable(),
  email: z.string(),
  role: seatRoleSchema,
  status: z.enum(['active', 'pending', 'revoked', 'expired']),
  assigned_at: z.iso.datetime(),
  /** Of the team invitation that holds or held the seat. */
  invitation_id: z.uuid().nullable(),
})
export type Seat = z.infer<typeof seatSchema>

const seatsSummarySchema = z.object({
  /** Taken up or promised: active and pending ones. */
  seats_used: z.int(),
  /** 0 without a live subscription. */
  seats_total: z.int(),
  /** All of them for admins; a member sees their own only. */
  seats: z.array(seatSchema),
  /** More are used than paid for: nobody loses theirs, new ones are refused. */
  over_limit: z.boolean(),
  /** What an admin has to be told, if anything. */
  notice: z.string().nullable(),
})
export type SeatsSummary = z.infer<typeof seatsSummarySchema>

export const getOrganizationSeats = endpoint({
  method: 'GET',
  path: '/api/organizations/seats',
  summary: 'Seats of an organization’s subscription; for its members',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ org_id: organizationIdSchema }),
  /** Everything twice, because one consumer reads it at the top and another under `data`. */
  response: z.object({ ...seatsSummarySchema.shape, data: seatsSummarySchema }),
})

export const assignSeat = endpoint({
  method: 'POST',
  path: '/api/organizations/seats/assign',
  summary: 'Give a seat to a member, or promise one and invite; 402 when there is none left; for admins',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({
    org_id: organizationIdSchema,
    email: teamEmailSchema,
    role: seatRoleSchema.default('member'),
  }),
  response: z.object({ success: z.literal(true), seat: seatSchema, message: z.string() }),
})

export const revokeSeat = endpoint({
  method: 'POST',
  path: '/api/organizations/seats/revoke',
  summary: 'End the active seat of a member, who stays in the organization; for admins',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({ org_id: organizationIdSchema, user_id: z.string().min(1).max(64) }),
  response: z.object({ success: z.literal(true), seat: seatSchema, message: z.string() }),
})
