import { verifyWebhook } from '@clerk/backend/webhooks'
import Stripe from 'stripe'
import type { Json } from '../../schema/database/types.ts'
import { eventTypeLabel, isHandledEvent } from '../../schema/inbox/event-type-label.ts'
import type { EventSource } from '../../schema/inbox/events.ts'
import { eventQueues } from '../../schema/inbox/queues/queues.ts'
import { storeEvent } from '../../schema/inbox/store-event.ts'
import { type ClerkEvent, clerkEventSchema } from '../../schema/vendors/clerk/events.ts'
import { stripeEventSchema } from '../../schema/vendors/stripe/events.ts'
import { idsIn } from '../../schema/vendors/stripe/log-ids.ts'
import type { AppContext, AppMiddleware, RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { enqueue } from '../enqueue.ts'
import { refusal, ServerError, tooManyRequests } from '../errors.ts'
import { parseJson, readRawBody, webhookLimitBytes } from '../middleware/read-body.ts'
import { signedSender } from '../rights.ts'
import { plainRoute } from '../route.ts'

export const webhooksRoutes = [
  plainRoute({
    method: 'POST',
    path: '/api/stripe/webhook',
    limit: null,
    rights: signedSender,
    serve: stripeWebhook,
  }),
  plainRoute({
    method: 'POST',
    path: '/api/clerk/webhook',
    limit: null,
    rights: signedSender,
    serve: clerkWebhook,
  }),
]

/** How old a signature may be, so that a recorded delivery cannot be replayed later. */
const toleranceSeconds = 300

/**
 * Answers a network that keeps sending bad signatures without reading what it sends, for a minute. A sender
 * with a good one in the same network comes again, as Stripe and Clerk do.
 */
function refuseForgers({ limits }: Pick<Dependencies, 'limits'>, serve: AppMiddleware): AppMiddleware {
  const refusedUntilMs = new Map<string, number>()
  return async (ctx, next) => {
    const { network } = ctx.state
    const left_ms = (refusedUntilMs.get(network) ?? 0) - performance.now()
    if (left_ms > 0) throw tooManyRequests(Math.ceil(left_ms / 1000))
    try {
      await serve(ctx, next)
    } catch (error) {
      if (error instanceof ServerError && error.code === 'invalid_signature') {
        const wait_s = await limits.consume('auth', `webhook:${network}`)
        if (refusedUntilMs.size >= refusedMax) refusedUntilMs.clear()
        if (wait_s !== null) refusedUntilMs.set(network, performance.now() + wait_s * 1000)
      }
      throw error
    }
  }
}

const refusedMax = 10_000

/** Only events that Stripe signed are stored, each once. */
function stripeWebhook(deps: Dependencies): AppMiddleware {
  return refuseForgers(deps, async (ctx) => {
    const raw = await readRawBody(ctx, webhookLimitBytes)
    const event = stripeEventSchema.safeParse(verifyStripeEvent(deps, raw, ctx.get('stripe-signature')))
    if (!event.success) throw refusal('invalid_event', { cause: event.error })
    await storeVerifiedEvent(
      deps,
      {
        source: 'stripe',
        id: event.data.id,
        type: event.data.type,
        occurred_at: new Date(event.data.created * 1000),
        payload: event.data,
      },
      ctx.state.requestLog,
    )
    ctx.body = { received: true }
  })
}

/**
 * Stripe signs with every secret that is valid at the moment; which of ours is among them does not matter.
 */
function verifyStripeEvent({ stripe, settings }: Dependencies, raw: Buffer, signature: string): unknown {
  let refused: unknown
  for (const secret of settings.stripe_webhook_secrets) {
    try {
      return stripe.webhooks.constructEvent(raw, signature, secret, toleranceSeconds)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError))
        throw refusal('invalid_event', { cause: error })
      refused = error
    }
  }
  throw refusal('invalid_signature', { cause: refused })
}

/** The same for Clerk, with Svix's signature, whose message id is the event's id. */
function clerkWebhook(deps: Dependencies): AppMiddleware {
  return refuseForgers(deps, async (ctx) => {
    const raw = await readRawBody(ctx, webhookLimitBytes)
    await verifyClerkSignature(ctx, raw, deps.settings.clerk_webhook_secrets)
    const event = clerkEventSchema.safeParse(parseJson(raw))
    if (!event.success) throw refusal('invalid_event', { cause: event.error })
    await storeVerifiedEvent(
      deps,
      {
        source: 'clerk',
        id: ctx.get('svix-id').trim(),
        type: event.data.type,
        occurred_at: occurredAt(event.data, ctx.get('svix-timestamp')),
        payload: event.data,
      },
      ctx.state.requestLog,
    )
    ctx.body = { received: true }
  })
}

async function verifyClerkSignature(ctx: AppContext, raw: Buffer, secrets: readonly string[]): Promise<void> {
  const headers = new Headers()
  for (const name of ['svix-id', 'svix-timestamp', 'svix-signature']) headers.set(name, ctx.get(name))
  let refused: unknown
  for (const signingSecret of secrets) {
    // Clerk's helper expects a fetch Request; only its headers and body are read, the body once.
    const request = new Request('http://webhook.invalid/', {
      method: 'POST',
      headers,
      body: new Uint8Array(raw),
    })
    try {
      await verifyWebhook(request as Parameters<typeof verifyWebhook>[0], { signingSecret })
      return
    } catch (error) {
      refused = error
    }
  }
  throw refusal('invalid_signature', { cause: refused })
}

/** Milliseconds in the event. Older events have none, so the time of sending is used. */
function occurredAt(event: ClerkEvent, sentAtSeconds: string): Date {
  const { timestamp } = event
  return new Date(typeof timestamp === 'number' ? timestamp : Number(sentAtSeconds) * 1000)
}

interface VerifiedEvent {
  readonly source: EventSource
  readonly id: string
  readonly type: string
  readonly occurred_at: Date
  /** The event as received. */
  readonly payload: unknown
}

/**
 * Stores a verified event that we handle in the inbox and enqueues a job for it. When this returns, the row
 * is committed and the sender may forget the event; when it throws, the sender must send it again.
 */
async function storeVerifiedEvent(
  deps: Dependencies,
  verified: VerifiedEvent,
  requestLog: RequestLog,
): Promise<void> {
  const { source, id, type } = verified
  requestLog.note({ event_id: id, event_type: type, ...idsIn(verified.payload) })
  // An endpoint may be sent every type. What nothing follows from may be about people, and is not kept.
  if (isHandledEvent(verified)) {
    const now = deps.now()
    const next_try_at = new Date(now.getTime() + deps.settings.claim_after_ms)
    const event = { ...verified, payload: verified.payload as Json, received_at: now, next_try_at }
    const { unfinished } = await storeEvent(deps.db, event)
    if (unfinished)
      await enqueue(deps, requestLog, { queue: eventQueues[source], id, payload: { event_id: id } })
  }
  deps.metrics.webhooksAccepted.inc({ source, type: eventTypeLabel(verified) })
}
