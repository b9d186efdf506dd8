import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { cancelSubscription } from '../entities/cancel-subscription.ts'
import { collectInvoice } from '../entities/collect-invoice.ts'
import { cancelAsPlanned } from '../entities/due-work.ts'
import { changedFields, emit } from '../entities/event.ts'
import { attachCard } from '../entities/payment-method.ts'
import { endPeriodNow, renewSubscription } from '../entities/renew-subscription.ts'
import { declined, findTestCard } from '../entities/test-cards.ts'
import { updateSubscription } from '../entities/update-subscription.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { noCall, type Service } from '../service.ts'
import type { StoredSubscription } from '../state.ts'
import { readJson } from './read-json.ts'

const renewBody = z.strictObject({ payment: z.enum(['card_decides', 'fails']).default('card_decides') })
const cancelBody = z.strictObject({ at_period_end: z.boolean().default(false) })
const cardBody = z.strictObject({ card: z.string() })

/** What happens to one subscription in the course of time, without moving everyone's clock. */
export function subscriptionKnobs(router: Router, service: Service): void {
  const { store, clock } = service

  const find = (context: RouterContext): StoredSubscription => {
    const id = context.params.id ?? ''
    const found = store.subscriptions.get(id)
    if (!found) throw noSuch('subscription', id)
    return found
  }

  const answer = (id: string) => {
    const subscription = store.subscriptions.get(id)
    return { subscription, invoice: store.invoices.get(subscription?.latest_invoice) ?? null }
  }

  router.post('/_sandbox/subscriptions/:id/renew', async (context) => {
    const { payment } = await readJson(context, renewBody)
    const ended = endPeriodNow(service, find(context))
    if (ended.cancel_at !== null && ended.cancel_at <= clock.now()) cancelAsPlanned(service, ended)
    else {
      const forced_decline = payment === 'fails' ? declined('generic_decline') : undefined
      renewSubscription(service, ended, { collect: { forced_decline } })
    }
    context.body = answer(ended.id)
  })

  router.post('/_sandbox/subscriptions/:id/retry', async (context) => {
    const { payment } = await readJson(context, renewBody)
    const { id, latest_invoice } = find(context)
    const invoice = store.invoices.get(latest_invoice)
    if (invoice?.status !== 'open') throw invalidRequest(`Subscription ${id} has no unpaid invoice.`)
    const forced_decline = payment === 'fails' ? declined('generic_decline') : undefined
    collectInvoice(service, invoice, { is_automatic: true, forced_decline, cause: noCall })
    context.body = answer(id)
  })

  router.post('/_sandbox/subscriptions/:id/cancel', async (context) => {
    const { at_period_end } = await readJson(context, cancelBody)
    const subscription = find(context)
    if (at_period_end) {
      updateSubscription(service, subscription, {
        cancel_at_period_end: true,
        cause: noCall,
        ends_trial: false,
        items: [],
        payment_behavior: 'allow_incomplete',
        proration_behavior: 'none',
        proration_date: null,
      })
    } else {
      cancelSubscription(service, subscription, {
        cause: noCall,
        details: {},
        invoice_now: false,
        prorate: false,
      })
    }
    context.body = answer(subscription.id)
  })

  router.post('/_sandbox/subscriptions/:id/card', async (context) => {
    const { card: number } = await readJson(context, cardBody)
    const subscription = find(context)
    const customer = store.customers.get(subscription.customer)
    const card = findTestCard(number)
    if (!card || !customer) {
      throw invalidRequest('Your card number is invalid.', { param: 'card', code: 'incorrect_number' })
    }
    const year = new Date(clock.nowMs()).getUTCFullYear() + 3
    const payer = { email: customer.email, name: customer.name ?? null }
    const expiry = { month: 12, year }
    const method = attachCard(service, { card, expiry, payer, customer: customer.id, is_saved: true })
    const changed = store.subscriptions.put({ ...subscription, default_payment_method: method.id })
    const previous_attributes = changedFields(subscription, changed)
    emit(service, 'customer.subscription.updated', changed, { cause: noCall, previous_attributes })
    context.body = { ...answer(subscription.id), payment_method: method }
  })
}
