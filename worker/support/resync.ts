import type { ActChange } from '../../schema/api/support-acts.ts'
import { findCharge } from '../../schema/billing/charges/charges.ts'
import {
  type CheckoutTerms,
  listSettledPurchases,
  lockIntent,
} from '../../schema/billing/checkout/intents.ts'
import { listIntentsOfOwner, listUnfinishedIntents } from '../../schema/billing/checkout/owner-intents.ts'
import { findStripeCustomer } from '../../schema/billing/customers/customers.ts'
import { listSubscriptionsOfOwner } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { readBooks } from '../../schema/ledger/post/books.ts'
import { findWrongLimit } from '../../schema/people/seats/membership-limit.ts'
import { listHeldSeats } from '../../schema/people/seats/seats.ts'
import type { Membership } from '../../schema/vendors/clerk/memberships.ts'
import { type Cause, postPlanDifference, postPurchaseDifference } from '../books/post-difference.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { copyContactToStripe } from '../events/clerk/copy-contact-to-stripe.ts'
import { applyFetched, type Fetched, fetchSubject, type Subject } from '../events/sync-subject.ts'
import { completeCheckout } from '../jobs/checkout-completion.ts'
import type { DoAct } from './act.ts'

/** Of each kind of object; an owner with more is synced piece by piece. */
const mostObjects = 100
const mostCustomers = 5

/**
 * Fetches everything of an owner's from Stripe and Clerk, and makes books, plan and seats agree with it.
 * Everything is fetched before anything is applied, so that no transaction waits for the owner's locks
 * meanwhile; only checkouts that are not settled come one by one.
 */
export const resync: DoAct = async (deps, act) => {
  const owner_id = act.owner_id
  if (!owner_id) throw new PermanentError('lacks', { what: 'owner' })
  const cause = { event_id: null, actor: act.requested_by } as const
  const isStripeOnly = Object(act.params).only === 'stripe'
  const organization_id = kindOf(owner_id) === 'organization' && !isStripeOnly ? owner_id : null
  const members = (organization_id && (await deps.clerk.listMembers(organization_id))) || []
  const customers = await listCustomers(deps, owner_id)
  const subjects = [
    ...(await listSubscriptions(deps, { owner_id, customers })),
    ...(await listCharges(deps, customers)),
    ...(organization_id === null ? [] : await listMemberships(deps, organization_id, members)),
  ]
  const fetched: Fetched[] = []
  for (const subject of subjects) fetched.push(await fetchSubject(deps, subject))
  if (!isStripeOnly) await copyContactToStripe(deps, owner_id)
  const seats_changed_in = organization_id === null ? [] : [organization_id]
  for (const intent of await listUnfinishedIntents(deps.db, owner_id, { limit: mostObjects })) {
    if (intent.livemode !== deps.livemode || intent.stripe_customer_id === null) continue
    await completeCheckout(deps, intent, act.requested_by)
  }
  for (const one of fetched) {
    await retryTransaction(deps.db, (trx) => applyFetched(trx, one, { ...cause, now: deps.now() }))
  }
  const purchases = await listSettledPurchases(deps.db, owner_id)
  await retryTransaction(deps.db, (trx) =>
    postDifferenceOf(trx, owner_id, purchases, { ...cause, now: deps.now() }),
  )
  const changes = organization_id === null ? [] : await findMemberLimit(deps, organization_id, members)
  return { changes, seats_changed_in }
}

/** Their present customer at Stripe, and those that it replaced. */
async function listCustomers({ db }: WorkerDependencies, owner_id: string): Promise<readonly string[]> {
  const intents = await listIntentsOfOwner(db, owner_id, { limit: mostObjects })
  const customers = new Set([await findStripeCustomer(db, owner_id)])
  for (const intent of intents) customers.add(intent.stripe_customer_id ?? undefined)
  return [...customers].flatMap((customer) => customer ?? []).slice(0, mostCustomers)
}

/** Those that we know and those that Stripe has for the same customers. */
async function listSubscriptions(
  deps: WorkerDependencies,
  { owner_id, customers }: { readonly owner_id: string; readonly customers: readonly string[] },
): Promise<Subject[]> {
  const known = await listSubscriptionsOfOwner(deps.db, owner_id, { limit: mostObjects })
  const ids = new Set(known.map((subscription) => subscription.stripe_subscription_id))
  for (const customer of customers) {
    const { data } = await deps.stripe.subscriptions.list({ customer, status: 'all', limit: mostObjects })
    // Oldest first: one that has ended makes room for the next.
    for (const { id } of data.toReversed()) ids.add(id)
  }
  return [...ids].map((id) => ({ of: 'subscription', id }))
}

/**
 * Of a charge nothing can have changed but what went back, so those that nothing went back of are left alone.
 * A refund that fails is none any more (https://docs.stripe.com/refunds#failed-refunds).
 */
async function listCharges(deps: WorkerDependencies, customers: readonly string[]): Promise<Subject[]> {
  const charges: Subject[] = []
  for (const customer of customers) {
    const { data } = await deps.stripe.charges.list({ customer, limit: mostObjects })
    for (const { id, amount_refunded, disputed } of data) {
      const isConcerned = amount_refunded > 0 || disputed || (await findCharge(deps.db, id))?.refunded_minor
      if (isConcerned) charges.push({ of: 'charge', id })
    }
  }
  return charges
}

/** The members that Clerk lists, and the holders of seats who are no members any more. */
async function listMemberships(
  deps: WorkerDependencies,
  organization_id: string,
  members: readonly Membership[],
): Promise<Subject[]> {
  const seats = await listHeldSeats(deps.db, organization_id)
  const userIds = new Set([...members, ...seats].flatMap(({ user_id }) => user_id ?? []))
  return [...userIds].map((user_id) => ({ of: 'membership', organization_id, user_id }))
}

/**
 * What will be done after the act (see `syncSeatsWithClerk`), if anything: Clerk lets in as many people as
 * there are seats.
 */
async function findMemberLimit(
  deps: WorkerDependencies,
  organizationId: string,
  members: readonly Membership[],
): Promise<ActChange[]> {
  const wrong = await findWrongLimit(deps.db, organizationId, members)
  return wrong ? [{ what: 'member_limit', id: null, before: wrong.at_clerk, after: wrong.limit }] : []
}

/** Also without any news: the books may differ from facts that were written down long ago. */
async function postDifferenceOf(
  trx: DatabaseTransaction,
  owner_id: string,
  purchases: readonly { readonly id: string }[],
  cause: Cause,
): Promise<void> {
  // Intents are locked before their owner, whom posting locks.
  const { grants } = await readBooks(trx, owner_id)
  const granted = grants.flatMap(({ kind, intent_id, gross }) =>
    kind === 'purchase' && intent_id !== null && gross !== 0 ? intent_id : [],
  )
  const ids = new Set([...purchases.map(({ id }) => id), ...granted])
  const intents = new Map<string, CheckoutTerms | undefined>()
  for (const id of ids) intents.set(id, await lockIntent(trx, id))
  for (const [id, intent] of intents) {
    const unpaid = { state: 'expired', credits: 0, amount_minor: 0 } as const
    const source = { stripe_session_id: null, stripe_invoice_id: null }
    if (intent?.state === 'settled') await postPurchaseDifference(trx, intent, cause)
    else if (granted.includes(id))
      await postPurchaseDifference(trx, { id, owner_id, ...unpaid, ...source }, cause)
  }
  await postPlanDifference(trx, owner_id, cause)
}
