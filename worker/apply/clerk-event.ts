import { clerkEventSchema, profileOf } from '../../schema/clerk/events.ts'
import { updateProfile } from '../../schema/users/users.ts'
import type { EventApplier } from './apply-event.ts'

/** Clerk's events: a changed e-mail or name reaches our copy of the person. Accounts are made when people first come to us. */
export const applyClerkEvent: EventApplier = async (trx, payload) => {
  const event = clerkEventSchema.parse(payload)
  if (event.type !== 'user.created' && event.type !== 'user.updated') {
    return { state: 'ignored', reason: `Nothing follows from ${event.type}` }
  }
  const isKnown = await updateProfile(trx, profileOf(event))
  return isKnown
    ? { state: 'applied', reason: null }
    : { state: 'ignored', reason: 'The person has no account with us yet' }
}
