import { createHash, randomUUIDv7 } from 'node:crypto'
import type { Json } from '../schema/database/types.ts'
import {
  beginRequest,
  forgetRequest,
  keepAnswer,
  releaseRequest,
} from '../schema/inbox/idempotent-requests.ts'
import type { AppContext } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { invalidRequest, refusal, ServerError } from './errors.ts'

/**
 * Processes a request once for each `Idempotency-Key` of its user, and repeats the answer to later requests
 * with the same key (decision 051). `work` receives the name of the attempt: another try after a crash gets
 * the same name, so that it ends in the same checkout.
 */
export async function oncePerKey<Answer>(
  ctx: AppContext,
  deps: Pick<Dependencies, 'db' | 'now'>,
  work: (attempt_id: string) => Promise<Answer>,
): Promise<Answer> {
  const key = ctx.get('idempotency-key')
  const { user_id, body } = ctx.state
  if (key === '' || user_id === undefined) return work(randomUUIDv7())
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalidRequest('Idempotency-Key must have 1 to 255 visible ASCII characters')
  }
  const request = { user_id, key }
  const request_hash = createHash('sha256')
    .update(JSON.stringify([ctx.path, body]))
    .digest()
  const begun = await beginRequest(deps.db, {
    ...request,
    request_hash,
    attempt_id: randomUUIDv7(),
    now: deps.now(),
  })
  switch (begun.outcome) {
    case 'other_request':
      throw refusal('idempotency_key_reused')
    case 'in_progress':
      throw refusal('request_in_progress', { retry_after_s: 1 })
    case 'answered':
      ctx.set('idempotency-replayed', 'true')
      return begun.answer as Answer
    case 'begun':
  }
  try {
    const answer = await work(begun.attempt_id)
    await keepAnswer(deps.db, request, answer as Json)
    return answer
  } catch (error) {
    await (isRefusal(error) ? forgetRequest : releaseRequest)(deps.db, request).catch(() => undefined)
    throw error
  }
}

/** After a 503 or an unexpected error the outcome is unknown. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServerError && error.status !== 503
}
