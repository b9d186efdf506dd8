import { z } from 'zod'
import type { CheckoutIntent } from '../../schema/billing/checkout/intents.ts'
import type { Database } from '../../schema/database/connect.ts'
import { listPurchaseGrants } from '../../schema/ledger/post/books.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'
import {
  dayMs,
  findRows,
  madeSince,
  moneyText,
  pagesOf,
  replayOf,
  resyncOf,
  type UnconfirmedDifference,
} from './comparison.ts'

/** A bank may take up to two weeks to say whether it pays: https://docs.stripe.com/payments/sepa-debit. */
const longestPaymentMs = 15 * dayMs

const sessionSchema = z.object({
  id: z.string(),
  mode: z.string(),
  status: z.string().nullable(),
  payment_status: z.string(),
  amount_total: z.int().nullable(),
  currency: z.string().nullable(),
  client_reference_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  subscription: stripeReferenceSchema.nullish(),
})
type Session = z.infer<typeof sessionSchema>

/**
 * Every checkout that is paid at Stripe is settled here and has brought its credits, and no other one is
 * settled.
 */
export const sessions = pagesOf({
  name: 'sessions',
  list: (context, page) =>
    context.deps.stripe.checkout.sessions.list({ ...madeSince(context, longestPaymentMs), ...page }),
  compare: ({ deps }, listed) => compareSessions(deps.db, listed),
})

export async function compareSessions(
  db: Database,
  listed: readonly unknown[],
): Promise<{ count: number; differences: UnconfirmedDifference[] }> {
  const ours = z
    .array(sessionSchema)
    .parse(listed)
    .flatMap((session) => {
      const intentId = session.client_reference_id
      const isOurs = z.uuid().safeParse(intentId).success && session.metadata?.intentId === intentId
      return intentId && isOurs ? { session, intentId } : []
    })
  const ids = ours.map(({ intentId }) => intentId)
  const intents = await findRows(db, 'checkout_intents', 'id', ids)
  const grants = await listPurchaseGrants(db, ids)
  const differences = ours.flatMap(({ session, intentId }) => {
    const intent = intents.get(intentId)
    return differenceOf(session, intentId, { intent, grant: grants.get(intentId) }) ?? []
  })
  return { count: ours.length, differences }
}

type PurchaseGrant = NonNullable<ReturnType<Awaited<ReturnType<typeof listPurchaseGrants>>['get']>>

function differenceOf(
  session: Session,
  intentId: string,
  { intent, grant }: { intent: CheckoutIntent | undefined; grant: PurchaseGrant | undefined },
): UnconfirmedDifference | undefined {
  const { id, status, payment_status, mode } = session
  const isPaid = status === 'complete' && payment_status !== 'unpaid'
  const isSettled = intent?.state === 'settled' && intent.stripe_session_id === id
  if (isPaid && !isSettled) return notSettled(session, intentId, intent)
  if (!intent || !isSettled || mode !== 'payment') return undefined
  const owner_id = intent?.owner_id ?? null
  if (isPaid && grant?.is_posted === false && owner_id) {
    return {
      kind: 'credits_missing',
      object_id: grant.grant_id,
      owner_id,
      sentence: `${intent.credits} credits of a settled checkout were never granted`,
      they_say: `Checkout ${id} is paid.`,
      we_have: `Checkout ${intentId} is settled, and the ledger has no grant for it.`,
      money: { amount_minor: intent.amount_minor, currency: intent.currency },
      credits: intent.credits,
      repair: resyncOf(owner_id),
      advice: 'A resync posts what the facts say and the ledger lacks.',
      refs: [id, intentId],
    }
  }
  if (isPaid) return undefined
  return {
    kind: 'settled_without_payment',
    object_id: id,
    owner_id,
    sentence: `${intent.credits} credits were granted for a checkout that is not paid`,
    they_say: `Checkout ${id} is ${status}, its payment ${payment_status}.`,
    we_have: `Checkout ${intentId} is settled.`,
    money: { amount_minor: intent.amount_minor, currency: intent.currency },
    credits: -intent.credits,
    advice: 'No event brings credits without a payment: find out who could write to the database.',
    refs: [id, intentId],
  }
}

function notSettled(
  session: Session,
  intentId: string,
  intent: CheckoutIntent | undefined,
): UnconfirmedDifference {
  const { id, amount_total, currency, mode, subscription } = session
  const money =
    amount_total === null || !currency
      ? null
      : { amount_minor: amount_total, currency: currency.toUpperCase() }
  const problem = intent
    ? whyNotReplayed(session, intent)
    : 'There is no such checkout in our database. After a restore `npm run restore:checkouts` writes it again; otherwise refund it at Stripe.'
  const what =
    mode === 'subscription' ? 'A paid plan' : `A paid checkout of ${intent?.credits ?? 'unknown'} credits`
  return {
    kind: 'session_not_settled',
    object_id: id,
    owner_id: intent?.owner_id ?? null,
    sentence: `${what} is not settled`,
    they_say: `Checkout ${id} is ${session.payment_status}${money ? `: ${moneyText(money.amount_minor, money.currency)}` : ''}.`,
    we_have: intent ? stateOf(intent) : `Checkout ${intentId} is not known to us.`,
    money,
    credits: intent?.credits ?? null,
    repair: intent && !problem ? replayOf('intent', intentId) : null,
    advice: problem ?? 'A replay of the checkout fetches its session and settles it.',
    refs: [id, intentId, subscription],
  }
}

function stateOf({ id, state, failure_reason, last_error }: CheckoutIntent): string {
  const why = failure_reason ?? last_error
  return `Checkout ${id} is ${state}${why ? `: ${why}` : ''}.`
}

/** A replay would only fail again. */
function whyNotReplayed(session: Session, intent: CheckoutIntent): string | null {
  if (intent.stripe_session_id !== null && intent.stripe_session_id !== session.id) {
    return `The checkout belongs to ${intent.stripe_session_id}: this payment is a second one, to be refunded at Stripe.`
  }
  const isOtherAmount =
    session.mode === 'payment' &&
    (session.amount_total !== intent.amount_minor || session.currency?.toUpperCase() !== intent.currency)
  return isOtherAmount
    ? `It says ${moneyText(intent.amount_minor, intent.currency)}, and Stripe took another amount: refund it at Stripe, or adjust the credits.`
    : null
}
