import type { Kysely } from 'kysely'
import type { ActChange, ActOutcome } from '../../schema/api/support-acts.ts'
import { listIntentsOfOwner } from '../../schema/billing/checkout/owner-intents.ts'
import {
  findLiveSubscription,
  listSubscriptionsOfOwner,
} from '../../schema/billing/subscriptions/subscriptions.ts'
import type { DB } from '../../schema/database/types.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import type { ActTransfer } from '../../schema/ledger/post/acts.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { listInvitations } from '../../schema/people/invitations/invitations.ts'
import { listHeldSeats } from '../../schema/people/seats/seats.ts'
import { findUser } from '../../schema/people/users/users.ts'
import type { RowTarget } from '../../schema/support/acts.ts'
import { findTarget } from '../../schema/support/targets.ts'
import type { ActDone } from './act.ts'

/** Figures of an owner by their name, and states of rows by `kind id`, as one connection sees them. */
export type PresentState = ReadonlyMap<string, ActChange['after']>

/** Of an owner's rows of a kind the newest. */
const mostRows = 100

/** Where the target of an act and its owner stand. */
export async function readPresentState(
  db: Kysely<DB>,
  { target, owner_id }: { readonly target: RowTarget; readonly owner_id: string | null },
): Promise<PresentState> {
  const state = new Map<string, ActChange['after']>()
  const isRow = target.kind !== 'user' && target.kind !== 'organization'
  if (isRow) state.set(`${target.kind} ${target.id}`, (await findTarget(db, target))?.state ?? null)
  if (!owner_id) return state
  state.set('balance', (await findBalance(db, owner_id)).total)
  for (const intent of await listIntentsOfOwner(db, owner_id, { limit: mostRows }))
    state.set(`intent ${intent.id}`, intent.state)
  for (const plan of await listSubscriptionsOfOwner(db, owner_id, { limit: mostRows }))
    state.set(`subscription ${plan.stripe_subscription_id}`, synced(plan))
  if (kindOf(owner_id) === 'user') return state.set('plan', (await findUser(db, owner_id))?.plan_type ?? null)
  const live = await findLiveSubscription(db, owner_id)
  const held = await listHeldSeats(db, owner_id)
  const count = (status: string) => held.filter((seat) => seat.status === status).length
  state.set('plan', live?.plan_type ?? null)
  state.set('seats', live?.seats_total ?? 0)
  state.set('seats_in_use', count('active')).set('seats_reserved', count('pending'))
  // A dry run must name it as the act does, so not by its number.
  for (const seat of held) state.set(`seat ${seat.user_id ?? seat.invitation_id ?? seat.id}`, seat.status)
  const invitations = await listInvitations(db, { organization_id: owner_id })
  for (const one of invitations.slice(0, mostRows)) state.set(`invitation ${one.id}`, synced(one))
  return state
}

function synced({
  status,
  sync_failed_at,
}: {
  readonly status: string
  readonly sync_failed_at: Date | null
}) {
  return sync_failed_at ? `${status}, not synced` : status
}

/**
 * What came of an act: `before` is what everybody else sees while the act is not committed, `after` what the
 * act sees. Of a dry run it is the same as of the act that follows it.
 */
export function outcomeOfAct(act: {
  readonly owner_id: string | null
  readonly before: PresentState
  readonly after: PresentState
  readonly transfers: readonly ActTransfer[]
  readonly done: ActDone
}): ActOutcome {
  const { owner_id: mine, after, done } = act
  const transfers = act.transfers
    .filter(({ owner_id }) => owner_id === mine)
    .map(({ kind, account, credits, reason, grant_id }) => ({ kind, account, credits, reason, grant_id }))
  const posted = transfers.reduce((sum, { credits }) => sum + credits, 0)
  const before = new Map(act.before)
  // Others may have used some meanwhile, which is not the act's doing.
  if (mine) before.set('balance', Number(after.get('balance')) - posted)
  const found = [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [what = '', id = null] = key.split(' ')
    const change = { what, id, before: before.get(key) ?? null, after: after.get(key) ?? null }
    return change.before === change.after ? [] : [change]
  })
  const figures = found.filter(({ id }) => id === null)
  const changes = [...(done.changes ?? []), ...figures, ...found.filter(({ id }) => id !== null)]
  const changed = transfers.length > 0 || Boolean(done.did) || changes.length > 0
  const { note = null, erasure, first, invoice } = done
  return {
    changed,
    note: changed ? null : note,
    transfers,
    changes,
    ...(erasure && { erasure }),
    ...(first && { first }),
    ...(invoice && { invoice }),
  }
}
