import { z } from 'zod'
import type { UserProfile } from '../../people/users/users.ts'

/** The envelope of every Clerk webhook; `data` is parsed by the handler of the type. */
export const clerkEventSchema = z.looseObject({
  object: z.literal('event'),
  type: z.string().min(1).max(200),
  data: z.looseObject({}),
  timestamp: z.number().optional(),
})
export type ClerkEvent = z.infer<typeof clerkEventSchema>

const clerkUserSchema = z.object({
  id: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  primary_email_address_id: z.string().nullable(),
  /** The id is not among the required fields of Clerk's specification. */
  email_addresses: z.array(z.object({ id: z.string().optional(), email_address: z.string() })),
  /** Milliseconds since 1970. */
  updated_at: z.number(),
})

/** The profile of a `user.created` or `user.updated` event; the first address if none is primary. */
export function profileOf(event: ClerkEvent): UserProfile {
  const user = clerkUserSchema.parse(event.data)
  const primaryId = user.primary_email_address_id
  const primary = user.email_addresses.find(({ id }) => primaryId !== null && id === primaryId)
  return {
    clerk_id: user.id,
    email: (primary ?? user.email_addresses[0])?.email_address ?? '',
    first_name: user.first_name,
    last_name: user.last_name,
    profile_updated_at: new Date(user.updated_at),
  }
}

export function isBanned(event: ClerkEvent): boolean {
  return event.data.banned === true
}

/**
 * When it happened. Clerk sends milliseconds; the examples of its specification (webhooks of 2025-04-15) have
 * seconds.
 */
export function occurredAt({ timestamp }: ClerkEvent): Date | null {
  return timestamp === undefined ? null : new Date(timestamp < 1e11 ? timestamp * 1000 : timestamp)
}

const idSchema = z.string().min(1).max(64)

/** All of `user.deleted` and `organization.deleted`, and what `organization.updated` is read for. */
export const clerkIdSchema = z.object({ id: idSchema })

/** Our part of `organizationMembership.*` events. The present state is fetched from Clerk. */
export const clerkMembershipSchema = z.object({
  organization: z.object({ id: idSchema }),
  public_user_data: z.object({ user_id: idSchema }),
})

/** Our part of `organizationInvitation.*` events; the person is named after acceptance. */
export const clerkInvitationSchema = z.object({
  id: idSchema,
  organization_id: idSchema,
  user_id: idSchema.nullish(),
})
