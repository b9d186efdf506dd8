import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import type { StoredSession } from '../entities.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { debitTypeFor } from '../objects/payment-method.ts'
import { configureEndpoint } from '../objects/webhook-endpoint.ts'
import { closeDispute, disputeCharge } from '../payments/dispute-charge.ts'
import { runDueWork } from '../payments/due-work.ts'
import { expireSession } from '../payments/expire-session.ts'
import { type PaymentMeans, paySession } from '../payments/pay-session.ts'
import { returnUrl } from '../payments/return-url.ts'
import { settleSession } from '../payments/settle-session.ts'
import { findTestCard } from '../payments/test-cards.ts'
import { addDeliveryRule } from '../webhooks/delivery-rules.ts'
import { readText } from '../wire/form.ts'
import { nobody, type World } from '../world.ts'

const one_year_s = 366 * 24 * 60 * 60

const deliveriesBody = z.strictObject({
  mode: z.enum(['normal', 'never', 'twice', 'late', 'out_of_order']),
  copies: z.int().min(1).max(100).optional(),
  delay_ms: z.int().min(0).max(86_400_000).optional(),
  types: z.array(z.string()).min(1).optional(),
})
const deliverBody = z.strictObject({
  times: z.int().min(1).max(100).default(1),
  parallel: z.boolean().default(false),
})
const payBody = z.strictObject({
  card: z.string().default('4242424242424242'),
  method: z.enum(['card', 'delayed']).default('card'),
  email: z.email().optional(),
  name: z.string().optional(),
})
const settleBody = z.strictObject({ outcome: z.enum(['succeeded', 'failed']) })
const disputeBody = z.strictObject({
  amount: z.int().min(1).optional(),
  reason: z.enum(['fraudulent', 'general', 'product_not_received']).default('fraudulent'),
})
const closeBody = z.strictObject({ outcome: z.enum(['won', 'lost']) })
const clockBody = z.strictObject({
  seconds: z
    .int()
    .min(0)
    .max(10 * one_year_s),
})
const faultBody = z.strictObject({
  status: z.literal([429, 500, 502, 503]).nullable().default(null),
  drop_after: z.boolean().default(false),
  count: z.int().min(1).nullable().default(null),
  for_ms: z.int().min(1).nullable().default(null),
  path_prefix: z.string().default('/v1/'),
  method: z.enum(['DELETE', 'GET', 'POST']).nullable().default(null),
})

/** How far apart the modes are when the caller does not say. */
const default_delay_ms = { normal: 0, never: 0, twice: 0, late: 5000, out_of_order: 1000 }

/** What only a sandbox has: making time pass, payments settle, and things go wrong. */
export function knobRoutes(router: Router, world: World): void {
  const { store, deliverer, faults, clock } = world

  const session = (context: RouterContext): StoredSession => {
    const found = store.checkout_sessions.get(context.params.id ?? '')
    if (!found) throw noSuch('checkout.session', context.params.id ?? '')
    return found
  }

  router.get('/_sandbox/deliveries', (context) => {
    context.body = {
      rules: store.settings.get('settings')?.delivery_rules ?? [],
      deliveries: [...store.deliveries.newestFirst()].filter(
        ({ state, event }) =>
          (!context.query.state || state === context.query.state) &&
          (!context.query.event || event === context.query.event),
      ),
    }
  })

  router.post('/_sandbox/deliveries', async (context) => {
    const { mode, copies, delay_ms, types } = await readJson(context, deliveriesBody)
    const rules = addDeliveryRule(store, {
      mode,
      copies: copies ?? (mode === 'twice' ? 2 : 1),
      delay_ms: delay_ms ?? default_delay_ms[mode],
      types: types ?? null,
    })
    context.body = { rules }
  })

  router.post('/_sandbox/deliveries/release', (context) => {
    context.body = { released: deliverer.release() }
  })

  router.post('/_sandbox/events/:id/deliver', async (context) => {
    const { times, parallel } = await readJson(context, deliverBody)
    const event = store.events.get(context.params.id ?? '')
    if (!event) throw noSuch('event', context.params.id ?? '')
    const results = []
    if (parallel) {
      results.push(...(await Promise.all(Array.from({ length: times }, () => deliverer.sendNow(event)))))
    } else {
      for (let sent = 0; sent < times; sent++) results.push(await deliverer.sendNow(event))
    }
    context.body = { deliveries: results.flat() }
  })

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

  router.post('/_sandbox/clock/advance', async (context) => {
    const { seconds } = await readJson(context, clockBody)
    clock.advance(seconds * 1000)
    runDueWork(world)
    context.body = { now: clock.now() }
  })

  router.post('/_sandbox/faults', async (context) => {
    const { status, drop_after, for_ms, ...rest } = await readJson(context, faultBody)
    if ((status === null) === !drop_after) {
      throw invalidRequest('Say either `status` or `drop_after`: a fault does one of the two.')
    }
    faults.add({ ...rest, status, drop_after, until_ms: for_ms === null ? null : Date.now() + for_ms })
    context.body = { faults: faults.list() }
  })

  router.delete('/_sandbox/faults', (context) => {
    faults.clear()
    context.body = { faults: [] }
  })

  router.post('/_sandbox/reset', (context) => {
    store.clear()
    faults.clear()
    configureEndpoint(world, world.options)
    deliverer.resume()
    context.body = { reset: true }
  })
}

function meansFor(
  { currency, amount_total }: StoredSession,
  { card, method, now }: { card: string; method: 'card' | 'delayed'; now: number },
): PaymentMeans {
  if (amount_total === 0) return { type: 'free' }
  if (method === 'delayed') {
    const debit = debitTypeFor(currency ?? '')
    if (!debit) throw invalidRequest(`There is no bank debit in ${currency}.`, { param: 'method' })
    return { type: 'debit', debit }
  }
  const test_card = findTestCard(card)
  if (!test_card)
    throw invalidRequest('Your card number is invalid.', { param: 'card', code: 'incorrect_number' })
  const year = new Date(now * 1000).getUTCFullYear() + 3
  return { type: 'card', card: test_card, expiry: { month: 12, year } }
}

/** The knobs speak JSON; an empty body is an empty object. */
async function readJson<T extends z.ZodType>(context: RouterContext, schema: T): Promise<z.output<T>> {
  const text = await readText(context.req)
  const result = schema.safeParse(parseJson(text))
  if (!result.success) throw invalidRequest(z.prettifyError(result.error))
  return result.data
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw invalidRequest('The body is not JSON.')
  }
}
