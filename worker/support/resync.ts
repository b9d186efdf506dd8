import { listSettledPurchases, lockIntent } from '../../schema/checkout/intents.ts'
import { listUnsettledIntents } from '../../schema/checkout/owner-intents.ts'
import { findStripeCustomer } from '../../schema/customers/customers.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { readBooks } from '../../schema/ledger/books.ts'
import { listHeldSeats } from '../../schema/seats/seats.ts'
import { listSubscriptionsOfOwner } from '../../schema/subscriptions/subscriptions.ts'
import { ownerOf } from '../../schema/support/acts.ts'
import type { ApplyInTransaction } from '../apply/apply-event.ts'
import { syncCharge } from '../apply/charge/sync-charge.ts'
import { syncMember } from '../apply/clerk/sync-member.ts'
import { syncSubscription } from '../apply/subscription/sync-subscription.ts'
import { type Cause, reconcilePlan, reconcilePurchase, withdrawPurchase } from '../books/reconcile.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { completeCheckout } from '../jobs/checkout-completion.ts'
import type { DoAct } from './act.ts'

/** Of each kind of object; an owner with more is synced piece by piece. */
const mostObjects = 100

/**
 * Fetches everything of an owner's from Stripe and Clerk, and makes books, plan and seats agree with it. Everything is fetched before
 * anything is applied, so that nobody waits for the owner's locks meanwhile; only checkouts that are not settled come one by one.
 */
export const resync: DoAct = async (deps, act) => {
  const owner = ownerOf(act)
  if (!owner) throw new PermanentError('It is not known who the owner is')
  const cause = { event_id: null, actor: act.requested_by } as const
  const apply = [
    ...(await fetchSubscriptions(deps, owner, cause)),
    ...(await fetchCharges(deps, owner, cause)),
    ...(await fetchMembers(deps, owner)),
  ]
  const seats_changed_in: string[] = []
  for (const intent of await listUnsettledIntents(deps.db, owner, { limit: mostObjects })) {
    if (intent.livemode !== deps.livemode || intent.stripe_customer_id === null) continue
    const done = await completeCheckout(deps, intent, act.requested_by)
    if (done.seats_changed_in) seats_changed_in.push(done.seats_changed_in)
  }
  for (const applyOne of apply) {
    const done = await retryTransaction(deps.db, applyOne)
    if (done && 'seats_changed_in' in done && done.seats_changed_in)
      seats_changed_in.push(done.seats_changed_in)
  }
  const purchases = await listSettledPurchases(deps.db, owner)
  await retryTransaction(deps.db, (trx) =>
    reconcileOwner(trx, owner, purchases, { ...cause, now: deps.now() }),
  )
  return { did: null, note: 'Stripe and Clerk have it as we do', seats_changed_in }
}

type Apply = (trx: DatabaseTransaction) => Promise<Awaited<ReturnType<ApplyInTransaction>> | undefined>
type Origin = Pick<Cause, 'event_id' | 'actor'>

/** Those that we know and those that Stripe has for the same customer. */
async function fetchSubscriptions(deps: WorkerDependencies, owner: Owner, cause: Origin): Promise<Apply[]> {
  const known = await listSubscriptionsOfOwner(deps.db, owner, { limit: mostObjects })
  const customer = await findStripeCustomer(deps.db, owner)
  const listed = customer
    ? await deps.stripe.subscriptions.list({ customer, status: 'all', limit: mostObjects })
    : { data: [] }
  // Oldest first: one that has ended makes room for the next.
  const ids = new Set([
    ...known.map((subscription) => subscription.stripe_subscription_id),
    ...listed.data.map(({ id }) => id).toReversed(),
  ])
  const apply: Apply[] = []
  for (const id of ids) apply.push(await syncSubscription(deps, id, { ...cause, session_id: null }))
  return apply
}

/** Of a charge nothing can have changed but what went back, so those that nothing went back of are left alone. */
async function fetchCharges(deps: WorkerDependencies, owner: Owner, cause: Origin): Promise<Apply[]> {
  const customer = await findStripeCustomer(deps.db, owner)
  if (!customer) return []
  const { data } = await deps.stripe.charges.list({ customer, limit: mostObjects })
  const apply: Apply[] = []
  for (const charge of data) {
    if (charge.amount_refunded > 0 || charge.disputed) apply.push(await syncCharge(deps, charge.id, cause))
  }
  return apply
}

/** Whoever has a seat or is promised one, and is a member or was one. */
async function fetchMembers(deps: WorkerDependencies, { owner_kind, owner_id }: Owner): Promise<Apply[]> {
  if (owner_kind === 'user') return []
  const [seats, members] = await Promise.all([
    listHeldSeats(deps.db, owner_id),
    deps.clerk.listMembers(owner_id),
  ])
  const byEmail = new Map(members?.map((member) => [member.email, member.user_id]))
  const userIds = new Set(seats.flatMap((seat) => seat.user_id ?? byEmail.get(seat.email) ?? []))
  const apply: Apply[] = []
  for (const user_id of userIds) {
    const sync = await syncMember(deps, { organization_id: owner_id, user_id })
    apply.push(async (trx) => {
      await sync(trx)
      return undefined
    })
  }
  return apply
}

/** Also without any news: the books may differ from facts that were written down long ago. */
async function reconcileOwner(
  trx: DatabaseTransaction,
  owner: Owner,
  purchases: readonly { readonly id: string }[],
  cause: Cause,
): Promise<void> {
  for (const { id } of purchases) {
    const intent = await lockIntent(trx, id)
    if (intent?.state === 'settled') await reconcilePurchase(trx, intent, cause)
  }
  await reconcilePlan(trx, owner, cause)
  const { grants } = await readBooks(trx, owner)
  for (const { kind, intent_id, gross } of grants) {
    if (kind !== 'purchase' || intent_id === null || gross === 0) continue
    const intent = await lockIntent(trx, intent_id)
    if (intent?.state === 'settled') continue
    // Nobody paid for it.
    await withdrawPurchase(trx, { id: intent_id, ...owner, stripe_session_id: null }, cause)
  }
}
