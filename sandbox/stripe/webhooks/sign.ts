import { createHmac } from 'node:crypto'

/**
 * The `Stripe-Signature` header: HMAC-SHA256 over "<seconds>.<body>". The time is the real one, whatever the sandbox's
 * clock says, because a receiver compares it with its own.
 */
export function signPayload({ payload, secret }: { payload: string; secret: string }): string {
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
