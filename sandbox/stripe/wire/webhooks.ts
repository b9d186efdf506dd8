import { createHmac } from 'node:crypto'

export type PostResult = { ok: boolean; status: number | null; error: string | null }

const timeout_ms = 10_000

/** One signed POST, as Stripe makes it: indented JSON, redirects not followed, anything but 2xx is a failure. */
export async function postEvent(
  { url, secret }: { url: string; secret: string },
  event: object,
): Promise<PostResult> {
  const payload = JSON.stringify(event, null, 2)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout_ms),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': signPayload({ payload, secret }),
      },
      body: payload,
    })
    // The connection goes back to the pool only when the answer has been read.
    await response.arrayBuffer()
    return { ok: response.ok, status: response.status, error: response.ok ? null : `HTTP ${response.status}` }
  } catch (error) {
    return { ok: false, status: null, error: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
}

/**
 * The `Stripe-Signature` header: HMAC-SHA256 over "<seconds>.<body>". The time is the real one, whatever the sandbox's
 * clock says, because a receiver compares it with its own.
 */
export function signPayload({ payload, secret }: { payload: string; secret: string }): string {
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
