import { createHmac } from 'node:crypto'
import { type PostResult, post } from '../../kit/post.ts'
import type { State, StoredEvent } from '../state.ts'

const TIMEOUT_MS = 10_000

/** One signed copy of an event to one endpoint, as Stripe sends it; null when the endpoint takes none. */
export function postEvent(
  store: State,
  {
    endpoint,
    event,
    pending_webhooks,
    signal,
  }: { endpoint: string; event: StoredEvent; pending_webhooks: number; signal: AbortSignal },
): Promise<PostResult> | null {
  const target = store.webhook_endpoints.get(endpoint)
  if (target?.status !== 'enabled') return null
  const payload = JSON.stringify({ ...event, pending_webhooks }, null, 2)
  const secret = store.signing_secrets.get(endpoint)?.secret ?? ''
  return post({
    url: target.url,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'stripe-signature': signPayload({ payload, secret }),
    },
    body: payload,
    timeoutMs: TIMEOUT_MS,
    signal,
  })
}

/**
 * The `Stripe-Signature` header: HMAC-SHA256 over "<seconds>.<body>", in real time, as receivers check it.
 */
function signPayload({ payload, secret }: { payload: string; secret: string }): string {
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
