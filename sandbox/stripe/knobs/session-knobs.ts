import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import type { StoredSession } from '../entities.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { debitTypeFor } from '../objects/payment-method.ts'
import { expireSession } from '../payments/expire-session.ts'
import { needsMethod } from '../payments/needs-method.ts'
import { type PaymentMeans, paySession } from '../payments/pay-session.ts'
import { returnUrl } from '../payments/return-url.ts'
import { settleSession } from '../payments/settle-session.ts'
import { findTestCard } from '../payments/test-cards.ts'
import { nobody, type World } from '../world.ts'
import { readJson } from './read-json.ts'

const payBody = z.strictObject({
  card: z.string().default('4242424242424242'),
  method: z.enum(['card', 'delayed']).default('card'),
  email: z.email().optional(),
  name: z.string().optional(),
})
const settleBody = z.strictObject({ outcome: z.enum(['succeeded', 'failed']) })

/** What a buyer and a bank do with a checkout, without either. */
export function sessionKnobs(router: Router, world: World): void {
  const { store, clock } = world

  const session = (context: RouterContext): StoredSession => {
    const found = store.checkout_sessions.get(context.params.id ?? '')
    if (!found) throw noSuch('checkout.session', context.params.id ?? '')
    return found
  }

  router.post('/_sandbox/sessions/:id/pay', async (context) => {
    const { card, method, email, name } = await readJson(context, payBody)
    const open = session(context)
    const payer = {
      email: email ?? open.customer_details?.email ?? 'buyer@example.com',
      name: name ?? open.customer_details?.name ?? 'Sandbox Buyer',
    }
    const result = paySession(world, open.id, {
      payer,
      means: meansFor(open, { card, method, now: clock.now() }),
    })
    context.body = { ...result, redirect_url: returnUrl(result.session) }
  })

  router.post('/_sandbox/sessions/:id/settle', async (context) => {
    const { outcome } = await readJson(context, settleBody)
    context.body = { session: settleSession(world, session(context).id, outcome) }
  })

  router.post('/_sandbox/sessions/:id/expire', (context) => {
    const open = session(context)
    if (open.status !== 'open') throw invalidRequest(`Session ${open.id} is ${open.status}, not open.`)
    context.body = { session: expireSession(world, open, nobody) }
  })
}

function meansFor(
  session: StoredSession,
  { card, method, now }: { card: string; method: 'card' | 'delayed'; now: number },
): PaymentMeans {
  const { currency } = session
  if (!needsMethod(session)) return { type: 'free' }
  if (method === 'delayed') {
    const debit = debitTypeFor(currency ?? '')
    if (!debit || !session.payment_method_types.includes(debit)) {
      throw invalidRequest(`This session takes no bank debit.`, { param: 'method' })
    }
    return { type: 'debit', debit }
  }
  const test_card = findTestCard(card)
  if (!test_card)
    throw invalidRequest('Your card number is invalid.', { param: 'card', code: 'incorrect_number' })
  const year = new Date(now * 1000).getUTCFullYear() + 3
  return { type: 'card', card: test_card, expiry: { month: 12, year } }
}
