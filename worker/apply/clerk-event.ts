import { type ClerkEvent, clerkEventSchema, profileOf } from '../../schema/clerk/events.ts'
import { updateProfile } from '../../schema/users/users.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { type ApplyInTransaction, type EventPlanner, ignore } from './apply-event.ts'
import { planInvitation } from './clerk/plan-invitation.ts'
import { planMembership } from './clerk/plan-membership.ts'
import { planOrganizationEnd } from './clerk/plan-organization-end.ts'
import { planPersonEnd } from './clerk/plan-person-end.ts'

type ClerkPlanner = (deps: WorkerDependencies, event: ClerkEvent) => Promise<ApplyInTransaction>

/**
 * Clerk's events. Those of memberships and invitations only say where to look: they come in any order, so what holds now is asked
 * of Clerk. An end cannot change any more and is taken from the event; Clerk sends nothing for the members of what has ended.
 */
export const planClerkEvent: EventPlanner = async (deps, payload) => {
  const event = clerkEventSchema.parse(payload)
  const plan = planners.get(event.type)
  return plan ? plan(deps, event) : ignore(`Nothing follows from ${event.type}`)
}

const planners: ReadonlyMap<string, ClerkPlanner> = new Map<string, ClerkPlanner>([
  ['user.created', planProfile],
  ['user.updated', planProfile],
  ['user.deleted', planPersonEnd],
  ['organizationMembership.created', planMembership],
  ['organizationMembership.updated', planMembership],
  ['organizationMembership.deleted', planMembership],
  ['organizationInvitation.created', planInvitation],
  ['organizationInvitation.accepted', planInvitation],
  ['organizationInvitation.revoked', planInvitation],
  ['organization.deleted', planOrganizationEnd],
])

/** A changed e-mail or name reaches our copy of the person. Accounts are made when people first come to us. */
async function planProfile(_deps: WorkerDependencies, event: ClerkEvent): Promise<ApplyInTransaction> {
  return async (trx) =>
    (await updateProfile(trx, profileOf(event)))
      ? { state: 'applied', reason: null }
      : { state: 'ignored', reason: 'The person has no account with us yet' }
}
