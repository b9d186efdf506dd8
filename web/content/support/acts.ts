import type { ActKind, ActTarget } from '../../../schema/api/support-acts.ts'
import type { TraceItem } from '../../../schema/api/support-timeline.ts'
import { capitalized, sentence, type Words } from './words.ts'

interface ActWords {
  /** On its button. */
  readonly name: string
  /** What it does. */
  readonly description: string
  /** As an item of the timeline. */
  readonly title: string
  /** The items that have its button. Other acts are those of an owner or of a finding. */
  readonly isOn?: (item: TraceItem) => boolean
}

export const actWords: Readonly<Record<ActKind, ActWords>> = {
  replay: {
    name: 'Replay',
    description: 'Processes the item again. Completed steps are not repeated.',
    title: 'Replay',
    isOn: ({ kind, data }) =>
      kind === 'intent'
        ? data.stripe_session_id !== null && data.state !== 'settled'
        : // Replaying an applied event shows that nothing is left to do.
          kind === 'event' || kind === 'subscription' || kind === 'invitation' || kind === 'charge',
  },
  resync: {
    name: 'Resync',
    description: 'Fetches the customer’s state from Stripe and Clerk, and updates ledger and seats.',
    title: 'Resync from Stripe and Clerk',
  },
  adjust: {
    name: 'Adjust credits',
    description: 'Gives the customer credits, or takes some away. They see it in their history.',
    title: 'Adjustment',
  },
  cancel_intent: {
    name: 'Cancel checkout',
    description:
      'Ends a checkout that is stuck and was not paid, so that the customer can begin another one.',
    title: 'Cancellation of a checkout',
    isOn: ({ kind, data }) => kind === 'intent' && data.is_unfinished,
  },
  cancel_subscription: {
    name: 'Cancel plan',
    description:
      'Ends a plan whose owner is gone, or a second one of its owner. Stripe makes no more invoices; refunds are separate.',
    title: 'Cancellation of a plan',
  },
  invoice_changes: {
    name: 'Invoice now',
    description:
      'Bills the changes of a plan now that Stripe would bill with its next renewal. The card on file is charged, or a credit goes to the balance at Stripe.',
    title: 'Invoice for a change of a plan',
    isOn: ({ kind, data }) =>
      kind === 'subscription' && data.ended_at === null && data.pending_lines.length > 0,
  },
  resend_invitation: {
    name: 'Resend invitation',
    description: 'Sends the open invitation once more.',
    title: 'Invitation sent again',
    isOn: ({ kind, data }) => kind === 'invitation' && data.status === 'pending',
  },
  release_hold: {
    name: 'Release credits',
    description:
      'Makes the reserved credits available again. The editor that reserved them can then charge nothing for its request.',
    title: 'Release of reserved credits',
    isOn: ({ kind, data }) => kind === 'hold' && data.step === 'reserved' && data.state === 'open',
  },
  forget: {
    name: 'Erase person',
    description: 'Erases the person. It cannot be undone, so a second person has to approve it.',
    title: 'Erasure of the person',
  },
}

/** An act's kind as people say it, also of kinds that only the terminal knows. */
export function actName(kind: string): string {
  return actWords[kind as ActKind]?.name ?? capitalized(kind.replaceAll('_', ' '))
}

export function actsOn(item: TraceItem): ActKind[] {
  const kinds = Object.keys(actWords) as ActKind[]
  return kinds.filter((kind) => actWords[kind].isOn?.(item))
}

/** An item as the target of an act. */
export const targetOf = ({ kind, id }: TraceItem) => ({ kind, id }) as ActTarget

/** The target with which an item is replayed; null where it cannot be. */
export function replayOf(item: TraceItem): ActTarget | null {
  return actWords.replay.isOn?.(item) ? targetOf(item) : null
}

const act: Words<'act'> = {
  name: 'Support act',
  describe({ data }, { names = {} }) {
    const { state, requested_by, approved_by } = data
    const nameOf = (id: string) => names[id] ?? id
    const isOpen = state === 'queued' || state === 'waiting_for_approval'
    const approved = approved_by ? `, agreed to by ${nameOf(approved_by)}` : ''
    return {
      title: `${actWords[data.kind as ActKind]?.title ?? actName(data.kind)} by support`,
      level: isOpen ? 'waiting' : state === 'failed' ? 'problem' : 'done',
      state,
      error: state === 'queued' ? data.last_error : data.error,
      details: [
        ...(data.sentence ? [data.sentence] : []),
        `Asked for by ${nameOf(requested_by)}${approved}: ${sentence(data.reason)}`,
      ],
      attempts: data.attempts,
      next_try_at: state === 'queued' ? data.next_try_at : null,
      // An act on an owner is on that owner's timeline.
      caused_by: data.of ? [data.of] : [],
    }
  },
}

export const acts = { act }
