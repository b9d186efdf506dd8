import type { CheckoutIntent } from '../../schema/billing/checkout/intents.ts'
import type { JobPayload } from '../../schema/inbox/queues/queues.ts'
import type { RequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { enqueue } from '../enqueue.ts'

/** A polling page asks every second or two; fetching the session from Stripe once in this time is enough. */
const atMostOnceInMs = 5000

/** Makes the worker fetch the session and settle the intent now. Returns whether the job is queued. */
export async function requestCompletion(
  deps: Pick<Dependencies, 'producer' | 'metrics' | 'settings' | 'now'>,
  intent: CheckoutIntent,
  request: { readonly cause: JobPayload<'checkout-completions'>['cause']; readonly requestLog: RequestLog },
): Promise<boolean> {
  const period = Math.floor(deps.now().getTime() / atMostOnceInMs)
  return enqueue(deps, request.requestLog, {
    queue: 'checkout-completions',
    id: `${intent.id}.${period}`,
    payload: { intent_id: intent.id, cause: request.cause },
  })
}
