import { z } from 'zod'
import type { CheckoutIntent } from '../../schema/billing/checkout/intents.ts'
import type { Database } from '../../schema/database/connect.ts'
import { findRows } from '../../schema/database/find-rows.ts'
import { listPurchaseGrants } from '../../schema/ledger/post/books.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'
import { intentIdOf } from '../../schema/vendors/stripe/metadata.ts'
import { dayMs, madeSince, pagesOf, replayOf, resyncOf, type UnconfirmedDifference } from './comparison.ts'

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
      const intentId = intentIdOf(session)
      return intentId ? { session, intentId } : []
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
      data: { due: intent.credits, lacking: [], paid_session_id: id },
      money: { amount_minor: intent.amount_minor, currency: intent.currency },
      credits: intent.credits,
      repair: resyncOf(owner_id),
      refs: [id, intentId],
    }
  }
  if (isPaid) return undefined
  return {
    kind: 'settled_without_payment',
    object_id: id,
    owner_id,
    data: { intent_id: intentId, status, payment_status },
    money: { amount_minor: intent.amount_minor, currency: intent.currency },
    credits: -intent.credits,
    refs: [id, intentId],
  }
}

function notSettled(
  session: Session,
  intentId: string,
  intent: CheckoutIntent | undefined,
): UnconfirmedDifference {
  const { id, amount_total, currency, mode, payment_status, subscription } = session
  const money =
    amount_total === null || !currency
      ? null
      : { amount_minor: amount_total, currency: currency.toUpperCase() }
  const why = whyNotReplayed(session, intent)
  return {
    kind: 'session_not_settled',
    object_id: id,
    owner_id: intent?.owner_id ?? null,
    data: {
      intent_id: intentId,
      is_plan: mode === 'subscription',
      payment_status,
      paid: money,
      state: intent?.state ?? null,
      reason: intent?.failure_reason ?? intent?.last_error ?? null,
      ...why,
    },
    money,
    credits: intent?.credits ?? null,
    repair: intent && !why.other_session_id && !why.promised ? replayOf('intent', intentId) : null,
    refs: [id, intentId, subscription],
  }
}

/** A replay would only fail again. */
function whyNotReplayed({ id, mode, amount_total, currency: asked }: Session, intent?: CheckoutIntent) {
  if (!intent) return { other_session_id: null, promised: null }
  const { stripe_session_id: session_id, amount_minor, currency } = intent
  if (session_id && session_id !== id) return { other_session_id: session_id, promised: null }
  const isOtherAmount =
    mode === 'payment' && (amount_total !== amount_minor || asked?.toUpperCase() !== currency)
  return { other_session_id: null, promised: isOtherAmount ? { amount_minor, currency } : null }
}
