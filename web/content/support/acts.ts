import * as z from 'zod/mini'
import type { TraceItem } from '../../../schema/api/support.ts'
import {
  type ActKind,
  type ActOutcome,
  type ActTarget,
  type AuditEntry,
  actOutcomeSchema,
  type Refund,
  type SupportAct,
} from '../../../schema/api/support-acts.ts'
import { currencySchema } from '../../../schema/catalogue/schemas.ts'
import { reasonText } from './failures.ts'
import { subscriptionWords } from './payments.ts'
import { capitalized, creditsText, dataOf, maybe, sentence, tried, wordsOf } from './words.ts'

/** A checkout of credits that is settled, or a plan's invoice. */
const paymentSchema = z.object({
  refunded_minor: z.int(),
  currency: currencySchema,
  amount_minor: z.optional(z.int()),
  amount_paid_minor: z.optional(z.int()),
  state: z._default(z.literal('settled'), 'settled'),
  plan_type: z._default(z.null(), null),
})

interface ActWords {
  /** On its button. */
  readonly name: string
  /** What it does. */
  readonly description: string
  /** As an item of the timeline. */
  readonly title: string
  /** What it did at Stripe or Clerk, or erased, where that is in no row. */
  readonly did?: (outcome: ActOutcome) => string
  /** What to tell the customer once it is done, where no notice of the case says it. */
  readonly tell?: (outcome: ActOutcome) => string
  /** The items that have its button. Other acts are those of an owner or of a finding. */
  readonly isOn?: (item: TraceItem) => boolean
  /** What is filled in for an item: see `acts`. */
  readonly paramsOf?: (item: TraceItem) => { readonly refund: Refund | null }
}

const arrived = () =>
  'Your account was behind your payments. It has caught up now; please reload the page to see it.'

export const actWords: Readonly<Record<ActKind, ActWords>> = {
  replay: {
    name: 'Replay',
    description: 'Processes the item again. Completed steps are not repeated.',
    title: 'Replay',
    tell: arrived,
    isOn: ({ kind, data }) =>
      kind === 'intent'
        ? data.stripe_session_id !== null && data.state !== 'settled'
        : // Replaying an applied event shows that nothing is left to do.
          ['event', 'subscription', 'invitation', 'charge'].includes(kind),
  },
  resync: {
    name: 'Resync',
    description: 'Fetches the customer’s state from Stripe and Clerk, and updates ledger and seats.',
    title: 'Resync from Stripe and Clerk',
    tell: arrived,
  },
  adjust: {
    name: 'Adjust credits',
    description: 'Gives the customer credits, or takes some away. They see it in their history.',
    title: 'Adjustment',
  },
  refund: {
    name: 'Refund',
    description:
      'Gives money back to the card or account that paid, and takes the credits back that it bought. Stripe returns no fees.',
    title: 'Refund',
    tell: ({ transfers }) =>
      `We have refunded your payment, and taken back ${creditsText(sumOf(transfers))}. Most banks show the money within 5 to 10 business days.`,
    isOn: (item) => leftOf(item) !== null,
    paramsOf: (item) => ({ refund: leftOf(item) }),
  },
  cancel_intent: {
    name: 'Cancel checkout',
    description:
      'Ends a checkout that is stuck and was not paid, so that the customer can begin another one.',
    title: 'Cancellation of a checkout',
    isOn: ({ kind, data }) => kind === 'intent' && data.is_unfinished === true,
  },
  cancel_subscription: {
    name: 'Cancel plan',
    description:
      'Ends a plan whose owner is gone, or a second one of its owner. Stripe makes no more invoices; refunds are separate.',
    title: 'Cancellation of a plan',
    did: () => 'The plan ends at Stripe, without another invoice.',
  },
  invoice_changes: {
    name: 'Invoice now',
    description:
      'Bills the changes of a plan now that Stripe would bill with its next renewal. The card on file is charged, or a credit goes to the balance at Stripe.',
    title: 'Invoice for a change of a plan',
    did: ({ invoice }) => (invoice ? invoiceText(invoice) : ''),
    isOn: (item) => {
      const plan = dataOf(subscriptionWords, item)
      return plan?.ended_at === null && plan.pending_lines.length > 0
    },
  },
  end_plan_later: {
    name: 'End at period’s end',
    description:
      'Cancels the plan as the customer can: it goes on until its period ends, and is not renewed. A change that waits for the renewal is dropped. The customer can undo it in the billing portal.',
    title: 'Cancellation at the period’s end',
    did: () => 'The plan goes on until its period ends, and is not renewed.',
    isOn: (item) => {
      const plan = dataOf(subscriptionWords, item)
      return plan?.ended_at === null && plan.cancel_at === null
    },
  },
  end_plan: {
    name: 'End now',
    description:
      'Ends the plan at once, with what it brings. Open invoices are voided, and nothing is refunded. It cannot be undone, so a second person has to approve it.',
    title: 'End of a plan',
    did: () => 'The plan ends at Stripe at once. Its open invoices are void, and nothing is refunded.',
    tell: () => 'Your plan has ended, and nothing more will be charged. Credits that you bought stay.',
    isOn: (item) => dataOf(subscriptionWords, item)?.ended_at === null,
  },
  pay_invoice: {
    name: 'Retry payment',
    description:
      'Charges the card on file for the open invoice now. If the bank declines it, nothing changes.',
    title: 'Payment of an invoice',
    did: ({ invoice }) => (invoice ? `The card on file pays ${sumText(invoice)}.` : ''),
    tell: () => 'The payment for your plan went through, and the credits of the new period are there.',
    isOn: ({ kind, data }) => kind === 'invoice' && data.status === 'open',
  },
  void_invoice: {
    name: 'Void',
    description:
      'Gives up the money of the open invoice: nobody can pay it any more, and what it was for brings no credits. It cannot be undone, so a second person has to approve it.',
    title: 'Invoice voided',
    did: ({ invoice }) => (invoice ? `The invoice of ${sumText(invoice)} is void.` : ''),
    tell: ({ invoice }) =>
      `You do not have to pay the invoice${invoice ? ` of ${sumText(invoice)}` : ''} any more. It brings no credits.`,
    isOn: ({ kind, data }) => kind === 'invoice' && data.status === 'open',
  },
  resend_invitation: {
    name: 'Resend invitation',
    description: 'Sends the open invitation once more.',
    title: 'Invitation sent again',
    did: () => 'The invitation is sent again.',
    tell: () =>
      'We have sent the invitation again. The link of the earlier e-mail no longer works; please look in the spam folder, too.',
    isOn: ({ kind, data }) => kind === 'invitation' && data.status === 'pending',
  },
  release_hold: {
    name: 'Release credits',
    description:
      'Makes the reserved credits available again. The editor that reserved them can then charge nothing for its request.',
    title: 'Release of reserved credits',
    isOn: ({ kind, data }) => kind === 'hold' && data.step === 'reserved' && data.state === 'open',
  },
  sign_out: {
    name: 'Sign out',
    description:
      'Ends all editor tokens and all sessions of the person, for example after a theft. They can sign in again.',
    title: 'Sign-out everywhere',
  },
  forget: {
    name: 'Erase person',
    description: 'Erases the person. It cannot be undone, so a second person has to approve it.',
    title: 'Erasure of the person',
    did: ({ erasure }) => (erasure ? erasureText(erasure) : ''),
    tell: () => 'Your account is deleted, with your name and addresses. Records of payments are kept.',
  },
}

const sumOf = (transfers: ActOutcome['transfers']) => transfers.reduce((sum, { credits }) => sum + credits, 0)

/** What is left to refund of an item; null where nothing is, or where it is no payment. */
function leftOf({ kind, data }: TraceItem): Refund | null {
  const payment = ['intent', 'invoice'].includes(kind) ? paymentSchema.safeParse(data).data : undefined
  if (!payment) return null
  const { amount_paid_minor, refunded_minor, currency } = payment
  const amount_minor = (payment.amount_minor ?? amount_paid_minor ?? 0) - refunded_minor
  return amount_minor > 0 ? { amount_minor, refunded_minor, currency, stripe_reason: null } : null
}

/** Minor units of an amount with at most two decimals; undefined for other text. */
export function readMoney(text: string): number | undefined {
  const [, whole, cents = ''] = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text.trim()) ?? []
  return whole === undefined ? undefined : Number(whole) * 100 + Number(cents.padEnd(2, '0'))
}

type Invoice = NonNullable<ActOutcome['invoice']>

const sumText = ({ total_minor, currency }: Invoice) => `${(total_minor / 100).toFixed(2)} ${currency}`

function invoiceText({ refusal, ...invoice }: Invoice): string {
  const sum = sumText({ ...invoice, refusal })
  const failure = refusal ? ` It is open, because the payment failed: ${sentence(refusal)}` : ''
  return `Stripe makes an invoice of the changes: ${sum}.${failure}`
}

function erasureText({ removed: { profile, ...rows }, customers }: NonNullable<ActOutcome['erasure']>) {
  const parts = Object.entries(rows).flatMap(([what, count]) => (count > 0 ? `${what}: ${count}` : []))
  return [
    profile ? 'Their account, name and addresses are erased.' : 'What came later is erased.',
    ...(parts.length > 0 ? [`Removed or replaced: ${parts.join(', ')}.`] : []),
    ...(customers.length > 0 ? [`At Stripe a person has to redact ${customers.join(', ')}.`] : []),
  ].join(' ')
}

/** Stripe's reasons of a refund, as people choose them. */
export const refundReasonWords: Readonly<Record<NonNullable<Refund['stripe_reason']> | 'none', string>> = {
  none: 'No reason given',
  requested_by_customer: 'The customer asked for it',
  duplicate: 'Paid twice',
  fraudulent: 'Fraud: Stripe also blocks the card and the address',
}

/** The figures that transfers and states say already. */
const unsaid = ['balance', 'seats_in_use', 'seats_reserved']

/** What an act did, or would do, in a line. */
export function outcomeText(kind: string, outcome: ActOutcome): string {
  if (!outcome.changed) return `Nothing changed. ${whyNothing(outcome)}`
  const did = actWords[kind as ActKind]?.did?.(outcome)
  return [
    ...(did ? [did] : []),
    ...outcome.transfers.map(
      ({ credits, reason }) => `${credits < 0 ? '−' : '+'}${creditsText(credits)}: ${sentence(reason)}`,
    ),
    ...outcome.changes
      .filter(({ what }) => !unsaid.includes(what))
      .map(({ what, before, after }) => `${changeName(what)}: ${before ?? 'none'} → ${after ?? 'none'}.`),
  ].join(' ')
}

/** What to tell the customer of an act that is done; null where that is nothing. */
export function tellOf({ kind, outcome }: Pick<SupportAct, 'kind' | 'outcome'>): string | null {
  return (outcome?.changed && actWords[kind as ActKind]?.tell?.(outcome)) || null
}

export function whyNothing({ note }: ActOutcome): string {
  return sentence(reasonText(note ?? 'All is as it should be'))
}

/** What changed: a figure, or the kind of a row. */
export function changeName(what: string): string {
  return what === 'intent' ? 'Checkout' : capitalized(what.replaceAll('_', ' '))
}

/** What an entry of the audit log says beside its act: a refusal, an error, or what changed. */
export function entryText({
  detail,
  before,
  after,
}: Pick<AuditEntry, 'detail' | 'before' | 'after'>): string {
  const changes = differencesOf({ before, after }).map(
    ({ what, before: was, after: is }) => `${what}: ${was} → ${is}`,
  )
  return [...(detail ? [reasonText(detail)] : []), ...changes].join(', ')
}

/** The changed figures and states, by what they are. */
export function differencesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>) {
  const [was, is] = [before ?? {}, after ?? {}]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].map((what) => ({
    what: changeName(what),
    before: was[what] ?? 'none',
    after: is[what] ?? 'none',
  }))
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

const itemWords = wordsOf({
  kind: 'act',
  name: 'Support act',
  data: z.object({
    ...tried,
    kind: z.string(),
    /** The key of the item that it is about; null where that is an owner. */
    of: maybe.text,
    reason: z.string(),
    requested_by: z.string(),
    approved_by: maybe.text,
    state: z.enum(['waiting_for_approval', 'queued', 'done', 'failed', 'refused', 'cancelled']),
    error: maybe.text,
    outcome: z.nullable(actOutcomeSchema),
  }),
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
        ...(data.outcome ? [outcomeText(data.kind, data.outcome)] : []),
        `Asked for by ${nameOf(requested_by)}${approved}: ${sentence(data.reason)}`,
      ],
      attempts: data.attempts,
      next_try_at: state === 'queued' ? data.next_try_at : null,
      // An act on an owner is on that owner's timeline.
      caused_by: data.of ? [data.of] : [],
    }
  },
})

export const acts = [itemWords]
