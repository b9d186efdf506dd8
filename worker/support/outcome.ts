import { isDeepStrictEqual } from 'node:util'
import type { ActOutcome } from '../../schema/api/support-acts.ts'
import type { ActTransfer } from '../../schema/ledger/post/acts.ts'
import type { RowTarget } from '../../schema/support/acts.ts'
import type { ActDone } from './act.ts'
import type { PresentState } from './present-state.ts'

/**
 * What came of an act: `before` is what everybody else sees while the act is not committed, `after` what the
 * act sees. Of a dry run it is the same, word for word, as of the act that follows it.
 */
export function outcomeOfAct(act: {
  readonly target: RowTarget
  readonly before: PresentState
  readonly after: PresentState
  readonly transfers: readonly ActTransfer[]
  readonly done: ActDone
}): ActOutcome {
  const { target, before, after, done } = act
  const transfers = act.transfers.filter(({ owner_id }) => owner_id === after.owner_id)
  const posted = transfers.reduce((sum, { credits }) => sum + credits, 0)
  const changes = {
    transfers: transfers.map(({ kind, account, credits, reason, grant_id }) => ({
      kind,
      account,
      credits,
      reason,
      grant_id,
    })),
    seats: { before: before.seats ?? (after.seats && noSeats), after: after.seats },
    plan: { before: before.plan, after: after.plan },
    // Others may have used some meanwhile, which is not the act's doing.
    balance: { before: after.balance === null ? null : after.balance - posted, after: after.balance },
    states: statesOf(target, before, after),
  }
  const changed =
    transfers.length > 0 ||
    done.did !== null ||
    !isDeepStrictEqual(changes.seats.before, changes.seats.after) ||
    changes.plan.before !== changes.plan.after ||
    changes.states.some((state) => state.before !== state.after)
  const sentence = changed ? sentenceOf(changes, done) : `Nothing changed: ${nothingBecause(done)}`
  return {
    changed,
    sentence,
    ...changes,
    ...(done.erasure && { erasure: done.erasure }),
    ...(done.available && { available: done.available }),
  }
}

const noSeats = { total: 0, active: 0, pending: 0 }

function statesOf(target: RowTarget, before: PresentState, after: PresentState): ActOutcome['states'] {
  const names = new Set([...before.states.keys(), ...after.states.keys()])
  return [...names].flatMap((name) => {
    const [was, is] = [before.states.get(name), after.states.get(name)]
    const row = is ?? was
    if (!row) return []
    const state = { what: row.what, id: row.id, before: was?.state ?? null, after: is?.state ?? null }
    return state.before !== state.after || name === `${target.kind}/${target.id}` ? [state] : []
  })
}

type Changes = Pick<ActOutcome, 'transfers' | 'seats' | 'plan' | 'states'>

function sentenceOf({ transfers, seats, plan, states }: Changes, { did }: ActDone): string {
  return [
    ...(did ? [did] : []),
    ...transfers.map(({ credits, reason }) => `${signed(credits)} credits: ${withStop(reason)}`),
    ...(seats.after && seats.before && seats.before.total !== seats.after.total
      ? [`Seats: ${seats.before.total} → ${seats.after.total}.`]
      : []),
    ...(plan.before === plan.after ? [] : [`Plan: ${plan.before ?? 'none'} → ${plan.after ?? 'none'}.`]),
    ...states
      .filter(({ before, after }) => before !== after)
      .map(({ what, before, after }) => `${names[what]}: ${before ?? 'none'} → ${after ?? 'none'}.`),
  ].join(' ')
}

const names: Readonly<Record<ActOutcome['states'][number]['what'], string>> = {
  event: 'Event',
  intent: 'Checkout',
  subscription: 'Subscription',
  invitation: 'Invitation',
  charge: 'Charge',
  hold: 'Hold',
  seat: 'Seat',
}

function nothingBecause({ note }: ActDone): string {
  if (note === null) return 'all is as it should be.'
  const isName = /^(?:Stripe|Clerk)\b/.test(note)
  return withStop(isName ? note : `${note.charAt(0).toLowerCase()}${note.slice(1)}`)
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function signed(credits: number): string {
  return `${credits < 0 ? '−' : '+'}${Math.abs(credits).toLocaleString('en-US')}`
}
