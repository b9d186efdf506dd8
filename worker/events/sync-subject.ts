import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { nextSnapshotOrder } from '../../schema/database/snapshot-order.ts'
import type { Cause } from '../books/post-difference.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { applyCharge, type ChargeToApply, fetchChargeToApply } from './charge/sync-charge.ts'
import { applyCheckout, type CheckoutToApply, fetchCheckout } from './checkout.ts'
import { applyHeardInvitation } from './clerk/apply-invitation.ts'
import { applyMembership } from './clerk/apply-member.ts'
import { applyProfile } from './clerk/apply-profile.ts'
import { copyContactToStripe } from './clerk/copy-contact-to-stripe.ts'
import { deleteOrganization, deleteUser, refundPaidAfter } from './clerk/delete-owner.ts'
import { fetchInvitation, type InvitationSnapshot } from './clerk/invitation-snapshot.ts'
import { fetchMember, type MemberSnapshot } from './clerk/member-snapshot.ts'
import type { ClerkSubject } from './clerk-subject.ts'
import type { Nothing, Outcome } from './outcome.ts'
import type { StripeSubject } from './stripe-subject.ts'
import { finalizeSoon } from './subscription/finalize-soon.ts'
import { followCard } from './subscription/follow-card.ts'
import {
  applySubscriptions,
  fetchSubscriptionToApply,
  type SubscriptionToApply,
} from './subscription/sync-subscription.ts'

/** What an event, a return page, a schedule or a person asks to be brought up to date. */
export type Subject = StripeSubject | ClerkSubject | Nothing

type OfClerk<Of extends ClerkSubject['of']> = Extract<ClerkSubject, { of: Of }>

/** A subject as Stripe or Clerk has it, and all that is needed to write it down. */
export type Fetched =
  | Nothing
  | CheckoutToApply
  | SubscriptionToApply
  | ChargeToApply
  | (OfClerk<'membership'> & { readonly snapshot: MemberSnapshot })
  | (OfClerk<'invitation'> & { readonly snapshot: InvitationSnapshot })
  | (OfClerk<'profile'> & { readonly reason: string | null })
  | (OfClerk<'deleted_user' | 'deleted_organization'> & { readonly snapshot_order: number })

/** Asks Stripe or Clerk for a subject. No transaction is open, so nothing is locked while they answer. */
export async function fetchSubject(deps: WorkerDependencies, subject: Subject): Promise<Fetched> {
  switch (subject.of) {
    case 'nothing':
      return subject
    case 'checkout':
      return fetchCheckout(deps, subject)
    case 'subscription':
      return fetchSubscriptionToApply(deps, subject.id)
    case 'draft_invoice':
      return finalizeSoon(deps, subject)
    case 'charge':
      return fetchChargeToApply(deps, subject.id)
    case 'customer':
      return followCard(deps, subject)
    case 'membership':
      return { ...subject, snapshot: await fetchMember(deps, subject) }
    case 'invitation':
      return { ...subject, snapshot: await fetchInvitation(deps, subject, subject.acceptance) }
    case 'profile': {
      const user = subject.profile.clerk_id
      // A ban waits for no call.
      return { ...subject, reason: subject.is_banned ? null : await copyContactToStripe(deps, user) }
    }
    case 'organization':
      // Its name is on its invoices.
      return { of: 'nothing', state: 'applied', reason: await copyContactToStripe(deps, subject.id) }
    case 'deleted_user':
    case 'deleted_organization':
      await refundPaidAfter(deps, subject)
      return { ...subject, snapshot_order: await nextSnapshotOrder(deps.db) }
  }
}

/**
 * Writes down what was fetched and makes the books agree with it, in the caller's transaction. Doing it again
 * changes nothing more, and what was fetched earlier than what is there changes nothing.
 */
export async function applyFetched(
  trx: DatabaseTransaction,
  fetched: Fetched,
  cause: Cause,
): Promise<Outcome> {
  switch (fetched.of) {
    case 'nothing':
      return { state: fetched.state, reason: fetched.reason }
    case 'checkout':
      return applyCheckout(trx, fetched, cause)
    case 'subscription':
      return applySubscriptions(trx, fetched, cause)
    case 'charge':
      return applyCharge(trx, fetched, cause)
    case 'membership':
      await applyMembership(trx, fetched.snapshot, cause.now)
      return { state: 'applied', reason: null }
    case 'invitation':
      return applyHeardInvitation(trx, fetched, cause.now)
    case 'profile':
      return applyProfile(trx, fetched, cause.now)
    case 'deleted_user':
      return deleteUser(trx, fetched, cause.now)
    case 'deleted_organization':
      return deleteOrganization(trx, fetched, cause.now)
  }
}

/** Brings a subject up to date without an event: for the return page, a schedule, or a person. */
export async function syncSubject(
  deps: WorkerDependencies,
  subject: Subject,
  actor: string,
): Promise<Outcome> {
  const fetched = await fetchSubject(deps, subject)
  return retryTransaction(deps.db, (trx) =>
    applyFetched(trx, fetched, { event_id: null, actor, now: deps.now() }),
  )
}
