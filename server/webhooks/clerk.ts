import { verifyWebhook } from '@clerk/backend/webhooks'
import { type ClerkEvent, clerkEventSchema } from '../../schema/clerk/events.ts'
import type { AppContext, AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { invalidEvent, invalidSignature } from '../errors.ts'
import { parseJson, readRawBody, webhookLimitBytes } from '../middleware/read-body.ts'
import { receiveVerifiedEvent } from './receive.ts'

/** `POST /api/clerk/webhook`: the same as Stripe's, with Svix's signature, whose message id is the event's id. */
export function clerkWebhook(deps: Dependencies): AppMiddleware {
  return async (ctx) => {
    const raw = await readRawBody(ctx, webhookLimitBytes)
    await verifySignature(ctx, raw, deps.settings.clerk_webhook_secret)
    const event = clerkEventSchema.safeParse(parseJson(raw))
    if (!event.success) throw invalidEvent(event.error)
    await receiveVerifiedEvent(
      deps,
      {
        source: 'clerk',
        id: ctx.get('svix-id').trim(),
        type: event.data.type,
        occurred_at: occurredAt(event.data, ctx.get('svix-timestamp')),
        payload: event.data,
      },
      ctx.state.trace,
    )
    ctx.body = { received: true }
  }
}

async function verifySignature(ctx: AppContext, raw: Buffer, secret: string): Promise<void> {
  const headers = new Headers()
  for (const name of ['svix-id', 'svix-timestamp', 'svix-signature']) headers.set(name, ctx.get(name))
  // Clerk's helper wants a request of the fetch kind; only its headers and body are read.
  const request = new Request('http://webhook.invalid/', {
    method: 'POST',
    headers,
    body: new Uint8Array(raw),
  })
  try {
    await verifyWebhook(request as Parameters<typeof verifyWebhook>[0], { signingSecret: secret })
  } catch (error) {
    throw invalidSignature(error)
  }
}

/** Milliseconds in the event; older events carry none, then the moment of sending is the nearest there is. */
function occurredAt(event: ClerkEvent, sentAtSeconds: string): Date {
  const { timestamp } = event
  return new Date(typeof timestamp === 'number' ? timestamp : Number(sentAtSeconds) * 1000)
}
