import type { Kysely } from 'kysely'
import { type Failure, failureOf } from '../../schema/api/failures.ts'
import { deleteCreationOf } from '../../schema/billing/customers/customers.ts'
import { findLiveSubscription, type Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { nextSnapshotOrder } from '../../schema/database/snapshot-order.ts'
import type { DB } from '../../schema/database/types.ts'
import { deleteTokensOf } from '../../schema/extension/tokens.ts'
import { deleteTriesOf } from '../../schema/inbox/claim/failed-tries.ts'
import { deleteRequestsOf } from '../../schema/inbox/idempotent-requests.ts'
import { listOpenEventsOf, removePayloadsOf } from '../../schema/inbox/payloads.ts'
import { eraseTransferTexts } from '../../schema/ledger/post/erase-texts.ts'
import { releaseHoldsOf } from '../../schema/ledger/post/holds.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { deleteMails } from '../../schema/mails/mails.ts'
import {
  endInvitation,
  listInvitationsTo,
  lockInvitation,
  replaceInvitationEmails,
} from '../../schema/people/invitations/invitations.ts'
import { replaceSeatEmails } from '../../schema/people/seats/seats.ts'
import { forgetUser, pseudonymOf } from '../../schema/people/users/forget-user.ts'
import { eraseActTexts, findOpenActOn } from '../../schema/support/acts.ts'
import { eraseAuditTexts } from '../../schema/support/audit-chain.ts'
import {
  findTracesOf,
  listCheckoutsUnderWay,
  listOrganizationsWithoutOtherAdmin,
  type PersonTraces,
} from '../../schema/support/person.ts'
import { isMissing } from '../../schema/vendors/stripe/missing.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { lockSeats } from '../events/clerk/apply-member.ts'
import { deleteUser } from '../events/clerk/delete-owner.ts'
import type { ActDone, DoAct } from './act.ts'
import { revokeAtClerk } from './resend-invitation.ts'

/** A dry run names the act that ends a plan, because people cannot erase a subscriber before. */
export const forget: DoAct = async (deps, { target_id: user_id, is_dry_run }) => {
  const plan = is_dry_run ? await findLiveSubscription(deps.db, user_id) : undefined
  if (!plan) return forgetPerson(deps, { user_id, is_dry_run })
  const target = { kind: 'subscription', id: plan.stripe_subscription_id } as const
  return { note: failureOf(...planIsNotOver(plan)), first: { kind: 'end_plan', target } }
}

/**
 * Erases a person: deletes or replaces what names them in our tables, then deletes their account at Clerk.
 * What is about money stays under Clerk's id, which leads to no person any more. docs/privacy.md has the
 * whole list, and what is left to do at Stripe. Throws PermanentError while something is in the way.
 */
export async function forgetPerson(
  deps: WorkerDependencies,
  { user_id, is_dry_run }: { readonly user_id: string; readonly is_dry_run: boolean },
): Promise<ActDone> {
  const addresses = await deps.clerk.listEmailAddresses(user_id)
  const snapshot_order = await nextSnapshotOrder(deps.db)
  const erased = await retryTransaction(deps.db, async (trx) => {
    const traces = await findTracesOf(trx, { user_id, addresses })
    const obstacle = await findObstacle(trx, { user_id, traces })
    if (obstacle) throw new PermanentError(...obstacle)
    await deleteUser(trx, { id: user_id, snapshot_order }, deps.now())
    const { total: credits } = await findBalance(trx, user_id)
    return { traces, credits, removed: await erase(deps, trx, { user_id, traces }) }
  })
  // The list by which a restored database is told whom to erase again is outside of it: these lines.
  if (!is_dry_run) deps.log.info({ user_id }, 'A person is erased')
  // Address and name as Clerk had them: Stripe's redaction is of its own fields (docs/privacy.md).
  const metadata = { clerkEmail: '', clerkName: '' }
  for (const id of erased.traces.customers) {
    await deps.stripe.customers.update(id, { metadata }).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }
  // Last, because it cannot be rolled back: when Clerk is away nothing has happened, and the act is tried
  // again.
  await deps.clerk.deleteUser(user_id)
  const { traces, removed, credits } = erased
  return {
    did: Object.values(removed).some((rows) => rows > 0),
    note: failureOf('done_already'),
    seats_changed_in: traces.organizations,
    erasure: { removed, customers: [...traces.customers], credits },
  }
}

const mostNamed = 3

const planIsNotOver = ({ stripe_subscription_id }: Subscription) =>
  ['under_way', { what: 'plan', ids: stripe_subscription_id }] as const

/** Why it cannot be done yet: money is on its way, or would be paid and could not be ended. */
async function findObstacle(
  db: Kysely<DB>,
  { user_id, traces }: { readonly user_id: string; readonly traces: PersonTraces },
): Promise<Failure | null> {
  const plan = await findLiveSubscription(db, user_id)
  if (plan) return [...planIsNotOver(plan)]
  const checkouts = await listCheckoutsUnderWay(db, { user_id, limit: mostNamed })
  if (checkouts.length > 0) return ['under_way', { what: 'checkout', ids: checkouts.join(', ') }]
  const events = await listOpenEventsOf(db, { ...traces, limit: mostNamed })
  if (events.length > 0) return ['under_way', { what: 'event', ids: events.join(', ') }]
  const act = await findOpenActOn(db, { user_id, ...traces })
  if (act) return ['under_way', { what: `act ${act.kind}`, ids: act.id }]
  const [organization_id] = await listOrganizationsWithoutOtherAdmin(db, user_id)
  return organization_id ? ['no_other_admin', { organization_id }] : null
}

/** How many rows of each kind are removed, or have no name and no address any more. */
async function erase(
  deps: WorkerDependencies,
  trx: DatabaseTransaction,
  { user_id, traces }: { readonly user_id: string; readonly traces: PersonTraces },
): Promise<Record<string, number>> {
  const now = deps.now()
  const pseudonym = pseudonymOf(user_id)
  const { emails, organizations } = traces
  const invitations = await listInvitationsTo(trx, emails)
  for (const { id, organization_id, status } of invitations) {
    if (status !== 'pending') continue
    await lockSeats(trx, organization_id)
    const locked = await lockInvitation(trx, id)
    if (locked?.status !== 'pending') continue
    await revokeAtClerk(deps, locked)
    await endInvitation(trx, { id, status: 'revoked' })
  }
  const person = { user_id, ...traces }
  await eraseAuditTexts(trx, person)
  await eraseActTexts(trx, person)
  await deleteCreationOf(trx, user_id)
  return {
    tokens: await deleteTokensOf(trx, user_id),
    answers: await deleteRequestsOf(trx, user_id),
    seats: await replaceSeatEmails(trx, { user_id, emails, organizations, pseudonym }),
    invitations: await replaceInvitationEmails(trx, { ids: invitations.map(({ id }) => id), pseudonym }),
    holds: await releaseHoldsOf(trx, { ...person, now }),
    texts: await eraseTransferTexts(trx, person),
    payloads: await removePayloadsOf(trx, traces),
    tries: await deleteTriesOf(trx, traces),
    mails: await deleteMails(trx, { user_id }),
    profile: Number(await forgetUser(trx, { user_id, now })),
  }
}
