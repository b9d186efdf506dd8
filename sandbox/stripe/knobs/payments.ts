import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import {
  expireSession,
  needsPaymentMethod,
  type PaymentMeans,
  returnUrl,
  savedCards,
} from '../entities/checkout-session.ts'
import {
  closeDispute,
  disputeCharge,
  disputeStatuses,
  firstStatuses,
  moveDispute,
} from '../entities/dispute.ts'
import { paySession, settleSession } from '../entities/pay-session.ts'
import { debitTypeFor } from '../entities/payment-method.ts'
import { findTestCard } from '../entities/test-cards.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { noCall, type Service } from '../service.ts'
import type { StoredSession } from '../state.ts'
import { readJson } from './read-json.ts'

const payBody = z.strictObject({
  card: z.string().default('4242424242424242'),
  method: z.enum(['card', 'delayed']).default('card'),
  email: z.email().optional(),
  name: z.string().optional(),
  fails_later: z.boolean().default(false),
  /** Ticks the box that lets Checkout offer the card again. */
  save: z.boolean().default(false),
  /** Pays with a card that is offered again. */
  saved: z.string().optional(),
  country: z.string().length(2).optional(),
  business: z.strictObject({ name: z.string(), tax_id: z.string() }).optional(),
})
const settleBody = z.strictObject({ outcome: z.enum(['succeeded', 'failed']) })

/** What a buyer and a bank do with a checkout, without either. */
export function sessionKnobs(router: Router, service: Service): void {
  const { store, clock } = service

  const session = (context: RouterContext): StoredSession => {
    const found = store.checkout_sessions.get(context.params.id)
    if (!found) throw noSuch('checkout.session', context.params.id ?? '')
    return found
  }

  router.post('/_sandbox/sessions/:id/pay', async (context) => {
    const { card, method, email, name, fails_later, save, saved, country, business } = await readJson(
      context,
      payBody,
    )
    const open = session(context)
    const payer = {
      email: email ?? open.customer_details?.email ?? 'buyer@example.com',
      name: name ?? open.customer_details?.name ?? 'Sandbox Buyer',
      country: country ?? null,
      business: business ?? null,
    }
    const offered = savedCards(service, open).find(({ id }) => id === saved)
    if (saved !== undefined && !offered) throw noSuch('PaymentMethod', saved, 'saved')
    const result = paySession(service, open.id, {
      payer,
      means: offered
        ? { type: 'saved', method: offered }
        : meansFor(open, { card, method, fails_later, save, now: clock.now() }),
    })
    context.body = { ...result, redirect_url: returnUrl(result.session) }
  })

  router.post('/_sandbox/sessions/:id/settle', async (context) => {
    const { outcome } = await readJson(context, settleBody)
    context.body = { session: settleSession(service, session(context).id, outcome) }
  })

  router.post('/_sandbox/sessions/:id/expire', (context) => {
    const open = session(context)
    if (open.status !== 'open') throw invalidRequest(`Session ${open.id} is ${open.status}, not open.`)
    context.body = { session: expireSession(service, open, noCall) }
  })
}

function meansFor(
  session: StoredSession,
  {
    card,
    method,
    fails_later,
    save,
    now,
  }: { card: string; method: 'card' | 'delayed'; fails_later: boolean; save: boolean; now: number },
): PaymentMeans {
  const { currency } = session
  if (!needsPaymentMethod(session)) return { type: 'free' }
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
  const is_saved = save && session.saved_payment_method_options?.payment_method_save === 'enabled'
  return { type: 'card', card: test_card, expiry: { month: 12, year }, fails_later, is_saved }
}

const disputeBody = z.strictObject({
  amount: z.int().min(1).optional(),
  reason: z.enum(['fraudulent', 'general', 'product_not_received']).default('fraudulent'),
  status: z.enum(firstStatuses).default('needs_response'),
  takes_money: z.boolean().optional(),
})
const statusBody = z.strictObject({ status: z.enum(disputeStatuses) })
const closeBody = z.strictObject({ outcome: z.enum(['won', 'lost']) })

/** What a cardholder and the cardholder's bank do after the payment. */
export function disputeKnobs(router: Router, service: Service): void {
  const { store } = service

  router.post('/_sandbox/charges/:id/dispute', async (context) => {
    const body = await readJson(context, disputeBody)
    const charge = store.charges.get(context.params.id)
    if (!charge) throw noSuch('charge', context.params.id ?? '')
    context.body = {
      dispute: disputeCharge(service, { ...body, amount: body.amount, charge, cause: noCall }),
    }
  })

  router.post('/_sandbox/disputes/:id/close', async (context) => {
    const { outcome } = await readJson(context, closeBody)
    const dispute = store.disputes.get(context.params.id)
    if (!dispute) throw noSuch('dispute', context.params.id ?? '')
    context.body = { dispute: closeDispute(service, { dispute, outcome, cause: noCall }) }
  })

  router.post('/_sandbox/disputes/:id/status', async (context) => {
    const { status } = await readJson(context, statusBody)
    const dispute = store.disputes.get(context.params.id)
    if (!dispute) throw noSuch('dispute', context.params.id ?? '')
    context.body = { dispute: moveDispute(service, { dispute, status, cause: noCall }) }
  })
}
