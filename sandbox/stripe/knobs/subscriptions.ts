import type { Router } from '@koa/router'
import { z } from 'zod'
import { collectInvoice } from '../entities/collect-invoice.ts'
import { cancelAsPlanned } from '../entities/due-work.ts'
import { changedFields, emit } from '../entities/event.ts'
import { attachCard, expiryOf } from '../entities/payment-method.ts'
import { endPeriodNow, renewSubscription } from '../entities/renew-subscription.ts'
import { declined, knownCard } from '../entities/test-cards.ts'
import { existing, invalidRequest } from '../errors.ts'
import { noCall, type Service } from '../service.ts'
import { knobsOf } from './knob.ts'

const payment = z
  .enum(['card_decides', 'fails'])
  .default('card_decides')
  .transform((payment) => (payment === 'fails' ? declined('generic_decline') : undefined))

/** What happens to one subscription in the course of time, without moving everyone's clock. */
export function subscriptionKnobs(router: Router, service: Service): void {
  const { store, clock } = service
  const knob = knobsOf(router)
  const find = (id: string) => existing(store.subscriptions, 'subscription', id)
  const answer = (id: string) => {
    const subscription = find(id)
    return { subscription, invoice: store.invoices.get(subscription.latest_invoice) ?? null }
  }

  knob('subscriptions/:id/renew', { payment }, ({ payment: forced_decline }, id) => {
    const ended = endPeriodNow(service, find(id))
    if (ended.cancel_at !== null && ended.cancel_at <= clock.now()) cancelAsPlanned(service, ended)
    else renewSubscription(service, ended, { collect: { forced_decline } })
    return answer(id)
  })

  knob('subscriptions/:id/retry', { payment }, ({ payment: forced_decline }, id) => {
    const invoice = store.invoices.get(find(id).latest_invoice)
    if (invoice?.status !== 'open') throw invalidRequest(`Subscription ${id} has no unpaid invoice.`)
    collectInvoice(service, invoice, { is_automatic: true, forced_decline, cause: noCall })
    return answer(id)
  })

  knob('subscriptions/:id/card', { card: z.string() }, ({ card: number }, id) => {
    const card = knownCard(number)
    const subscription = find(id)
    const customer = existing(store.customers, 'customer', subscription.customer)
    const payer = { email: customer.email, name: customer.name ?? null }
    const given = { card, expiry: expiryOf(service), payer, customer: customer.id }
    const payment_method = attachCard(service, { ...given, is_saved: true })
    const changed = store.subscriptions.put({ ...subscription, default_payment_method: payment_method.id })
    const previous_attributes = changedFields(subscription, changed)
    emit(service, 'customer.subscription.updated', changed, { cause: noCall, previous_attributes })
    return { ...answer(id), payment_method }
  })
}
