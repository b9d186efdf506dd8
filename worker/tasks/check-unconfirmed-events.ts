import type Stripe from 'stripe'
import { type CheckoutIntent, findIntent, lockIntent } from '../../schema/checkout/intents.ts'
import { withdrawOutcome } from '../../schema/checkout/outcomes.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import type { Json } from '../../schema/database/types.ts'
import { eventTypeLabel } from '../../schema/inbox/event-type-label.ts'
import { type InboxEvent, lockEvent } from '../../schema/inbox/events.ts'
import {
  confirmEvents,
  isSameContent,
  listUnconfirmedEvents,
  markForged,
  postponeConfirmation,
} from '../../schema/inbox/known-events.ts'
import {
  type CheckoutSession,
  checkoutSessionSchema,
  contentOf,
  stripeEventSchema,
} from '../../schema/stripe/events.ts'
import { idsIn, idsOf, withTransfers } from '../../schema/stripe/log-ids.ts'
import { intentIdOf } from '../../schema/stripe/metadata.ts'
import { isMissing } from '../../schema/stripe/missing.ts'
import { modeName } from '../../schema/stripe/mode.ts'
import { withdrawPurchase } from '../books/post-difference.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { applyCheckout } from '../events/apply-checkout.ts'
import { prepareEvent } from '../events/prepare-event.ts'
import { readStripeEvent } from '../events/stripe-event.ts'
import { reasonOf } from '../failures.ts'
import { findLostSession } from '../jobs/find-lost-session.ts'

/** Each costs a call to Stripe or two. */
const batchSize = 50

/** When Stripe could not be asked. */
const nextTryMs = 60_000

/** With a key of the other mode; it may come back. */
const otherModeMs = 24 * 3600 * 1000

/**
 * Asks Stripe for events by their id that its list has not shown in time. One that it does not know was
 * signed by another party who has the webhook secret: what followed from it is taken back, and the event is
 * forged. While Stripe is away nothing is decided. Returns how many were forged.
 */
export async function checkUnconfirmedEvents(deps: WorkerDependencies): Promise<number> {
  const due = await listUnconfirmedEvents(deps.db, { now: deps.now(), limit: batchSize })
  let forged = 0
  for (const event of due) {
    try {
      if (await isOfOtherMode(deps, event)) continue
      forged += (await checkEvent(deps, event)) ? 1 : 0
    } catch (error) {
      const last_error = reasonOf(error)
      deps.log.warn(
        { err: error, event_id: event.id, ...idsIn(event.payload) },
        'An event could not be confirmed; Stripe is asked again',
      )
      const confirm_at = new Date(deps.now().getTime() + nextTryMs)
      await postponeConfirmation(deps.db, event, { confirm_at, last_error })
    }
  }
  return forged
}

/**
 * What happened in the other mode Stripe does not show to our key, and that says nothing of who signed it.
 */
async function isOfOtherMode(deps: WorkerDependencies, event: InboxEvent): Promise<boolean> {
  const { livemode = deps.livemode } = stripeEventSchema.safeParse(event.payload).data ?? {}
  if (livemode === deps.livemode) return false
  const confirm_at = new Date(deps.now().getTime() + otherModeMs)
  const last_error = `It is one of ${modeName(livemode)}; our key is one of ${modeName(deps.livemode)}`
  await postponeConfirmation(deps.db, event, { confirm_at, last_error })
  return true
}

/** Says whether it was forged. */
async function checkEvent(deps: WorkerDependencies, event: InboxEvent): Promise<boolean> {
  const genuine = await findAtStripe(() => deps.stripe.events.retrieve(event.id))
  if (genuine && isSame(event, genuine)) {
    const events = new Map([[event.id, contentOf(genuine)]])
    await confirmEvents(deps.db, { source: 'stripe', events, now: deps.now() })
    return false
  }
  const checkout = await findCheckout(deps, event)
  // The forger knew the id of a real event, which was kept out of the inbox.
  const applyGenuine =
    genuine && (await prepareEvent(deps, readStripeEvent(genuine as unknown as Json, deps)))
  const forged = await retryTransaction(deps.db, async (trx) => {
    const row = await lockEvent(trx, event)
    if (!row || row.state === 'forged' || row.confirmed_at) return null
    const taken = checkout && (await takeBack(trx, checkout, { event_id: event.id, now: deps.now() }))
    await applyGenuine?.(trx)
    const who = genuine
      ? 'Stripe’s own event of this id is another one, which was applied in its place'
      : 'Stripe does not know this event'
    const words = `${who}: it was signed by another party who has STRIPE_WEBHOOK_SECRET. ${taken?.words ?? 'Nothing had to be taken back.'}`
    await markForged(trx, event, words)
    return { reason: words, transfer_ids: taken?.transfer_ids ?? [] }
  })
  if (forged === null) return false
  deps.metrics.eventsForged.inc({ type: eventTypeLabel(event) })
  const ids = { ...idsIn(event.payload), ...idsOf({ intent_id: checkout?.intent.id }) }
  const fields = { event_id: event.id, event_type: event.type, ...withTransfers(ids, forged.transfer_ids) }
  deps.log.error({ ...fields, reason: forged.reason }, 'A forged event: roll the webhook secret now')
  return true
}

function isSame(event: InboxEvent, genuine: Stripe.Event): boolean {
  if (event.payload === null) return true
  return isSameContent(contentOf(stripeEventSchema.parse(event.payload)), contentOf(genuine))
}

interface ForgedCheckout {
  readonly intent: CheckoutIntent
  /** What Stripe really has for it; null when there is none. */
  readonly session: CheckoutSession | null
}

/**
 * The purchase that a forged event spoke of, and its session as it really is. Everything else is fetched when
 * it is applied.
 */
async function findCheckout(deps: WorkerDependencies, event: InboxEvent): Promise<ForgedCheckout | null> {
  const claimed = stripeEventSchema.safeParse(event.payload)
  const object = checkoutSessionSchema.safeParse(claimed.data?.data.object)
  const intentId = object.success && intentIdOf(object.data)
  const intent = intentId ? await findIntent(deps.db, intentId) : undefined
  if (intent?.kind !== 'credit_purchase') return null
  return { intent, session: await findRealSession(deps, intent) }
}

async function findRealSession(
  deps: WorkerDependencies,
  intent: CheckoutIntent,
): Promise<CheckoutSession | null> {
  const attached = intent.stripe_session_id
  const known = attached && (await findSession(deps, attached))
  if (known && intentIdOf(known) === intent.id) return known
  // Proves that we ask the right account: with the key of another one nothing of ours exists, and nothing may
  // be taken back.
  const customer = intent.stripe_customer_id
  if (customer && !(await findAtStripe(() => deps.stripe.customers.retrieve(customer)))) {
    throw new Error(`The key of STRIPE_SECRET_KEY does not know ${customer}, so it is another account's`)
  }
  const lost = await findLostSession(deps, intent)
  return lost ? findSession(deps, lost) : null
}

async function findSession({ stripe }: WorkerDependencies, id: string): Promise<CheckoutSession | null> {
  const session = await findAtStripe(() => stripe.checkout.sessions.retrieve(id))
  return session && checkoutSessionSchema.parse(session)
}

/** Null when Stripe says that there is no such object; throws when it says nothing. */
async function findAtStripe<T>(retrieve: () => Promise<T>): Promise<T | null> {
  try {
    return await retrieve()
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

interface TakenBack {
  /** For people. */
  readonly words: string
  readonly transfer_ids: readonly number[]
}

/**
 * Makes a checkout, and what it brought, what Stripe says. Returns what was done, for people; null when
 * nothing had followed.
 */
async function takeBack(
  trx: DatabaseTransaction,
  { intent: { id }, session }: ForgedCheckout,
  { event_id, now }: { readonly event_id: string; readonly now: Date },
): Promise<TakenBack | null> {
  const intent = await lockIntent(trx, id)
  // No event had been applied to the checkout.
  if (!intent || (intent.stripe_session_id === null && session === null)) return null
  const isItsSession = session?.id === intent.stripe_session_id
  if (intent.state === 'settled' && isItsSession && session?.payment_status === 'paid') {
    return { words: 'The payment that it told of was made all the same.', transfer_ids: [] }
  }
  const state = session ? stateOf(session) : 'created'
  if (intent.state === state && isItsSession) return null
  await withdrawOutcome(trx, { id, state, stripe_session_id: session?.id ?? null, now })
  if (intent.state !== 'settled') return { words: `The checkout is ${state} again.`, transfer_ids: [] }
  const withdrawn = await withdrawPurchase(trx, intent, { event_id, actor: 'stripe', now })
  if (session?.payment_status === 'paid') {
    const news = { session, signal: 'fetched', event_id: null, occurred_at: now, actor: 'stripe' } as const
    const settled = await applyCheckout(trx, id, news)
    const words = 'The payment was made with another session, and was settled with that.'
    return { words, transfer_ids: [...withdrawn, ...(settled?.transfer_ids ?? [])] }
  }
  const words = `${intent.credits.toLocaleString('en-US')} credits were taken back.`
  return { words, transfer_ids: withdrawn }
}

function stateOf({ status }: CheckoutSession): 'open' | 'awaiting_payment' | 'expired' {
  return status === 'complete' ? 'awaiting_payment' : status
}
