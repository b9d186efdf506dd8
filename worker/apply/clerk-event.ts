import { clerkEventSchema, profileOf } from '../../schema/clerk/events.ts'
import { updateProfile } from '../../schema/users/users.ts'
import { type EventPlanner, ignore } from './apply-event.ts'

/** Clerk's events: a changed e-mail or name reaches our copy of the person. Accounts are made when people first come to us. */
export const planClerkEvent: EventPlanner = async (_deps, payload) => {
  const event = clerkEventSchema.parse(payload)
  if (event.type !== 'user.created' && event.type !== 'user.updated') {
    return ignore(`Nothing follows from ${event.type}`)
  }
  return async (trx) =>
    (await updateProfile(trx, profileOf(event)))
      ? { state: 'applied', reason: null }
      : { state: 'ignored', reason: 'The person has no account with us yet' }
}
