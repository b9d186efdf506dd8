import { failureOf } from '../../schema/api/failures.ts'
import { findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { endSubscription } from '../../schema/vendors/stripe/end-subscription.ts'
import { isOver } from '../../schema/vendors/stripe/statuses.ts'
import { releaseSchedule } from '../../schema/vendors/stripe/subscription-schedule.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { syncSubject } from '../events/sync-subject.ts'
import { type ActDone, type DoAct, onceAtStripe } from './act.ts'
import { withAnswers } from './dry-run.ts'
import { fetchPlan, subscriptionOf } from './fetch-plan.ts'

/**
 * Ends a plan at Stripe that no customer can end: its owner is gone, or it is a second one that was never
 * applied. No money goes back: refunds are decided by people.
 */
export const cancelSubscription: DoAct = async (deps, act) => {
  const row = await findSubscription(deps.db, act.target_id)
  if (row && !(await deps.clerk.isGone(row.owner_id)))
    throw new PermanentError('has_state', { what: 'owner', state: 'still_at_clerk' })
  return endPlan(deps, act)
}

/** The same for a plan whose owner is there, which two people agree to. */
export const endPlan: DoAct = async (deps, act) => {
  const { target_id: id, is_dry_run } = act
  const plan = await fetchPlan(deps, id)
  if (isOver(plan)) return { ...(await follow(deps, act)), note: stateOf(plan.status) }
  // A cancellation needs no key: each step finds what an earlier try has done.
  if (!is_dry_run) await endSubscription(deps.stripe, id, 'Ended by support')
  const ended_at = Math.floor(deps.now().getTime() / 1000)
  const stripe = withAnswers(deps.stripe, {
    subscription: (one) =>
      one.id === id ? { ...one, status: 'canceled', ended_at, canceled_at: ended_at, schedule: null } : one,
    invoice: (one) =>
      subscriptionOf(one) === id && one.status === 'open' ? { ...one, status: 'void' } : one,
  })
  return { ...(await follow(is_dry_run ? { ...deps, stripe } : deps, act)), did: true }
}

/**
 * Ends a plan with its period, as the customer can in the billing portal, who can undo it there. What is scheduled
 * for its renewal goes first: Stripe lets nobody cancel a subscription that a schedule manages
 * (https://docs.stripe.com/billing/subscriptions/subscription-schedules).
 */
export const endPlanLater: DoAct = async (deps, act) => {
  const { target_id: id, is_dry_run } = act
  const plan = await fetchPlan(deps, id)
  const over = isOver(plan) ? stateOf(plan.status) : null
  const note = over ?? (plan.cancel_at_period_end ? stateOf('cancelled_with_its_period') : null)
  if (note) return { ...(await follow(deps, act)), note }
  if (!is_dry_run) {
    await releaseSchedule(deps.stripe, id)
    await deps.stripe.subscriptions.update(id, { cancel_at_period_end: true }, onceAtStripe(act))
  }
  const stripe = withAnswers(deps.stripe, {
    subscription: (one) => (one.id === id ? { ...one, cancel_at_period_end: true, schedule: null } : one),
  })
  return { ...(await follow(is_dry_run ? { ...deps, stripe } : deps, act)), did: true }
}

const stateOf = (state: string) => failureOf('has_state', { what: 'plan', state })

/** What follows is not the act's to book: the subscription is fetched and applied, as an event has it. */
async function follow(
  deps: WorkerDependencies,
  { target_id: id, requested_by }: Parameters<DoAct>[1],
): Promise<ActDone> {
  const { seats_changed_in } = await syncSubject(deps, { of: 'subscription', id }, requested_by)
  return { seats_changed_in: seats_changed_in ? [seats_changed_in] : [] }
}
