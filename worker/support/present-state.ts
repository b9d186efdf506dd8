import type { Kysely } from 'kysely'
import type { ActOutcome } from '../../schema/api/support-acts.ts'
import { listIntentsOfOwner } from '../../schema/billing/checkout/owner-intents.ts'
import {
  findLiveSubscription,
  listSubscriptionsOfOwner,
} from '../../schema/billing/subscriptions/subscriptions.ts'
import type { DB } from '../../schema/database/types.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { listInvitations } from '../../schema/people/invitations/invitations.ts'
import { listHeldSeats } from '../../schema/people/seats/seats.ts'
import { findUser } from '../../schema/people/users/users.ts'
import type { RowTarget } from '../../schema/support/acts.ts'
import { findTarget } from '../../schema/support/targets.ts'

type State = ActOutcome['states'][number]

/** Where the target of an act and its owner stand, as one connection sees them. */
export interface PresentState {
  readonly owner_id: string | null
  readonly balance: number | null
  readonly seats: ActOutcome['seats']['before']
  readonly plan: string | null
  /** By `what/id`; of the owner's rows the newest. */
  readonly states: ReadonlyMap<string, Pick<State, 'what' | 'id'> & { readonly state: string | null }>
}

const mostRows = 100

export async function readPresentState(
  db: Kysely<DB>,
  { target, owner_id }: { readonly target: RowTarget; readonly owner_id: string | null },
): Promise<PresentState> {
  const found = await findTarget(db, target)
  const states = new Map<string, Pick<State, 'what' | 'id'> & { state: string | null }>()
  const note = (what: State['what'], id: string, state: string | null) => {
    states.set(`${what}/${id}`, { what, id, state })
  }
  if (target.kind !== 'user' && target.kind !== 'organization')
    note(target.kind, target.id, found?.state ?? null)
  if (!owner_id) return { owner_id, balance: null, seats: null, plan: null, states }

  for (const intent of await listIntentsOfOwner(db, owner_id, { limit: mostRows })) {
    note('intent', intent.id, intent.state)
  }
  for (const subscription of await listSubscriptionsOfOwner(db, owner_id, { limit: mostRows })) {
    const { stripe_subscription_id: id, status, sync_failed_at } = subscription
    note('subscription', id, sync_failed_at ? `${status}, not synced` : status)
  }
  const { total: balance } = await findBalance(db, owner_id)
  if (kindOf(owner_id) === 'user') {
    const user = await findUser(db, owner_id)
    return { owner_id, balance, seats: null, plan: user?.plan_type ?? null, states }
  }
  const held = await listHeldSeats(db, owner_id)
  // A dry run must name it as the act does, so not by its number.
  for (const seat of held) note('seat', seat.user_id ?? seat.invitation_id ?? String(seat.id), seat.status)
  const invitations = await listInvitations(db, { organization_id: owner_id })
  for (const { id, status, sync_failed_at } of invitations.slice(0, mostRows)) {
    note('invitation', id, sync_failed_at ? `${status}, not synced` : status)
  }
  const live = await findLiveSubscription(db, owner_id)
  const seats = {
    total: live?.seats_total ?? 0,
    active: held.filter(({ status }) => status === 'active').length,
    pending: held.filter(({ status }) => status === 'pending').length,
  }
  return { owner_id, balance, seats, plan: live?.plan_type ?? null, states }
}
