import { createHash } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import { idempotencyMismatch, invalidRequest } from '../errors.ts'
import type { Cause, World } from '../world.ts'
import type { Form } from './form.ts'

const longest_key = 255

/**
 * Stripe's idempotency: the first answer to a key is kept and sent again to whoever repeats the call; the same key with
 * other parameters is an error. A call that was refused for its parameters is not kept, since nothing was done.
 */
export function once(
  { store }: World,
  {
    context,
    form,
    cause,
    answer,
  }: { context: RouterContext; form: Form; cause: Cause; answer: () => object },
): unknown {
  const key = cause.idempotency_key
  if (key === null) return answer()
  if (key.length > longest_key) {
    throw invalidRequest(`Idempotency keys can have up to ${longest_key} characters.`)
  }
  context.set('idempotency-key', key)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([context.method, context.path, form]))
    .digest('hex')
  const kept = store.answers.get(key)
  if (kept) {
    if (kept.fingerprint !== fingerprint) throw idempotencyMismatch(key)
    context.set('idempotent-replayed', 'true')
    context.set('original-request', kept.request_id)
    context.status = kept.status
    return kept.body
  }
  const body = answer()
  const request_id = cause.request_id ?? ''
  store.answers.put({ id: key, fingerprint, body, request_id, status: 200, created_at_ms: Date.now() })
  return body
}
