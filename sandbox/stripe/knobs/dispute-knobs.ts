import type { Router } from '@koa/router'
import { z } from 'zod'
import { noSuch } from '../errors.ts'
import { closeDispute, disputeCharge } from '../payments/dispute-charge.ts'
import { nobody, type World } from '../world.ts'
import { readJson } from './read-json.ts'

const disputeBody = z.strictObject({
  amount: z.int().min(1).optional(),
  reason: z.enum(['fraudulent', 'general', 'product_not_received']).default('fraudulent'),
})
const closeBody = z.strictObject({ outcome: z.enum(['won', 'lost']) })

/** What a cardholder and the cardholder's bank do after the payment. */
export function disputeKnobs(router: Router, world: World): void {
  const { store } = world

  router.post('/_sandbox/charges/:id/dispute', async (context) => {
    const { amount, reason } = await readJson(context, disputeBody)
    const charge = store.charges.get(context.params.id ?? '')
    if (!charge) throw noSuch('charge', context.params.id ?? '')
    context.body = { dispute: disputeCharge(world, { charge, amount, reason, cause: nobody }) }
  })

  router.post('/_sandbox/disputes/:id/close', async (context) => {
    const { outcome } = await readJson(context, closeBody)
    const dispute = store.disputes.get(context.params.id ?? '')
    if (!dispute) throw noSuch('dispute', context.params.id ?? '')
    context.body = { dispute: closeDispute(world, { dispute, outcome, cause: nobody }) }
  })
}
