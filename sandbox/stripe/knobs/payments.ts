import type { Router } from '@koa/router'
import { z } from 'zod'
import { expireSession, type PaymentMeans, returnUrl } from '../entities/checkout-session.ts'
import {
  closeDispute,
  disputeCharge,
  disputeStatuses,
  firstStatuses,
  moveDispute,
} from '../entities/dispute.ts'
import { paySession, settleSession } from '../entities/pay-session.ts'
import { attachCard, debitTypeFor, expiryOf } from '../entities/payment-method.ts'
import { moveRefund } from '../entities/refund.ts'
import { forgivePart, payPart } from '../entities/settle-invoice.ts'
import { knownCard } from '../entities/test-cards.ts'
import { existing, invalidRequest } from '../errors.ts'
import { noCall, type Service } from '../service.ts'
import type { StoredSession } from '../state.ts'
import { knobsOf } from './knob.ts'

const payBody = {
  card: z.string().default('4242424242424242'),
  method: z.enum(['card', 'delayed']).default('card'),
  email: z.email().optional(),
  name: z.string().optional(),
  fails_later: z.boolean().default(false),
  /** Ticks the box that lets Checkout offer the card again. */
  save: z.boolean().default(false),
  country: z.string().length(2).optional(),
  business: z.strictObject({ name: z.string(), tax_id: z.string() }).optional(),
}
type Pay = { [Name in keyof typeof payBody]: z.output<(typeof payBody)[Name]> }

/** What a buyer and a bank do with a checkout, without either. */
export function sessionKnobs(router: Router, service: Service): void {
  const knob = knobsOf(router)
  const find = (id: string) => existing(service.store.checkout_sessions, 'checkout.session', id)

  knob('sessions/:id/pay', payBody, ({ email, name, country, business, ...asked }, id) => {
    const open = find(id)
    const payer = {
      email: email ?? open.customer_details?.email ?? 'buyer@example.com',
      name: name ?? open.customer_details?.name ?? 'Sandbox Buyer',
      country: country ?? null,
      business: business ?? null,
    }
    const result = paySession(service, open.id, { payer, means: meansFor(service, open, asked) })
    return { ...result, redirect_url: returnUrl(result.session) }
  })

  knob('sessions/:id/settle', { outcome: z.enum(['succeeded', 'failed']) }, ({ outcome }, id) => ({
    session: settleSession(service, id, outcome),
  }))

  knob('sessions/:id/expire', {}, (_body, id) => {
    const open = find(id)
    if (open.status !== 'open') throw invalidRequest(`Session ${open.id} is ${open.status}, not open.`)
    return { session: expireSession(service, open, noCall) }
  })
}

function meansFor(
  service: Service,
  session: StoredSession,
  { card, method, fails_later, save }: Pick<Pay, 'card' | 'fails_later' | 'method' | 'save'>,
): PaymentMeans {
  if (method === 'delayed') {
    const debit = debitTypeFor(session.currency ?? '')
    if (!debit || !session.payment_method_types.includes(debit)) {
      throw invalidRequest(`This session takes no bank debit.`, { param: 'method' })
    }
    return { type: 'debit', debit }
  }
  const is_saved = save && session.saved_payment_method_options?.payment_method_save === 'enabled'
  return { type: 'card', card: knownCard(card), expiry: expiryOf(service), fails_later, is_saved }
}

const disputeBody = {
  amount: z.int().min(1).optional(),
  reason: z.enum(['fraudulent', 'general', 'product_not_received']).default('fraudulent'),
  status: z.enum(firstStatuses).default('needs_response'),
}

/** What a cardholder and the cardholder's bank do after the payment. */
export function disputeKnobs(router: Router, service: Service): void {
  const { store } = service
  const knob = knobsOf(router)

  knob('charges/:id/dispute', disputeBody, (body, id) => {
    const charge = existing(store.charges, 'charge', id)
    return { dispute: disputeCharge(service, { ...body, amount: body.amount, charge, cause: noCall }) }
  })

  knob('disputes/:id/close', { outcome: z.enum(['won', 'lost']) }, ({ outcome }, id) => {
    const dispute = existing(store.disputes, 'dispute', id)
    return { dispute: closeDispute(service, { dispute, outcome, cause: noCall }) }
  })

  knob('disputes/:id/status', { status: z.enum(disputeStatuses) }, ({ status }, id) => {
    const dispute = existing(store.disputes, 'dispute', id)
    return { dispute: moveDispute(service, { dispute, status, cause: noCall }) }
  })
}

const part = { amount: z.int().min(1) }

/** What support does with an invoice at the dashboard, and what becomes of a refund at the bank. */
export function invoiceKnobs(router: Router, service: Service): void {
  const { store } = service
  const knob = knobsOf(router)

  knob('invoices/:id/pay_part', part, ({ amount }, id) => {
    const invoice = existing(store.invoices, 'invoice', id)
    const { email, name = null, ...customer } = existing(store.customers, 'customer', invoice.customer)
    const method = attachCard(service, {
      card: knownCard('4242424242424242'),
      expiry: expiryOf(service),
      payer: { email, name },
      customer: customer.id,
      is_saved: false,
    })
    return { invoice: payPart(service, invoice, { amount, method }) }
  })

  knob('invoices/:id/credit_note', part, ({ amount }, id) => ({
    invoice: forgivePart(service, existing(store.invoices, 'invoice', id), amount),
  }))

  knob('refunds/:id/status', { status: z.enum(['pending', 'succeeded', 'failed']) }, ({ status }, id) => ({
    refund: moveRefund(service, existing(store.refunds, 'refund', id), status),
  }))
}
