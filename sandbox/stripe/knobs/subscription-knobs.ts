import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { cancelAsPlanned } from '../billing/billing-due.ts'
import { cancelSubscription } from '../billing/cancel-subscription.ts'
import { changeCard } from '../billing/change-card.ts'
import { collectInvoice } from '../billing/collect-invoice.ts'
import { endPeriodNow } from '../billing/end-period.ts'
import { renewSubscription } from '../billing/renew-subscription.ts'
import { updateSubscription } from '../billing/update-subscription.ts'
import type { StoredSubscription } from '../entities.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { declined, findTestCard } from '../payments/test-cards.ts'
import { nobody, type World } from '../world.ts'
import { readJson } from './read-json.ts'

const renewBody = z.strictObject({ payment: z.enum(['card_decides', 'fails']).default('card_decides') })
const cancelBody = z.strictObject({ at_period_end: z.boolean().default(false) })
const cardBody = z.strictObject({ card: z.string() })

/** What happens to one subscription in the course of time, without moving everyone's clock. */
export function subscriptionKnobs(router: Router, world: World): void {
  const { store, clock } = world

  const find = (context: RouterContext): StoredSubscription => {
    const id = context.params.id ?? ''
    const found = store.subscriptions.get(id)
    if (!found) throw noSuch('subscription', id)
    return found
  }

  const answer = (id: string) => {
    const subscription = store.subscriptions.get(id)
    return { subscription, invoice: store.invoices.get(subscription?.latest_invoice ?? '') ?? null }
  }

  router.post('/_sandbox/subscriptions/:id/renew', async (context) => {
    const { payment } = await readJson(context, renewBody)
    const ended = endPeriodNow(world, find(context))
    if (ended.cancel_at !== null && ended.cancel_at <= clock.now()) cancelAsPlanned(world, ended)
    else {
      const forced_decline = payment === 'fails' ? declined('generic_decline') : undefined
      renewSubscription(world, ended, { forced_decline })
    }
    context.body = answer(ended.id)
  })

  router.post('/_sandbox/subscriptions/:id/retry', async (context) => {
    const { payment } = await readJson(context, renewBody)
    const { id, latest_invoice } = find(context)
    const invoice = store.invoices.get(latest_invoice ?? '')
    if (invoice?.status !== 'open') throw invalidRequest(`Subscription ${id} has no unpaid invoice.`)
    const forced_decline = payment === 'fails' ? declined('generic_decline') : undefined
    collectInvoice(world, invoice, { is_automatic: true, forced_decline, cause: nobody })
    context.body = answer(id)
  })

  router.post('/_sandbox/subscriptions/:id/cancel', async (context) => {
    const { at_period_end } = await readJson(context, cancelBody)
    const subscription = find(context)
    if (at_period_end) {
      updateSubscription(world, subscription, {
        cancel_at_period_end: true,
        cause: nobody,
        ends_trial: false,
        items: [],
        payment_behavior: 'allow_incomplete',
        proration_behavior: 'none',
        proration_date: null,
      })
    } else {
      cancelSubscription(world, subscription, {
        cause: nobody,
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
    const payment_method = changeCard(world, { customer, card, expiry: { month: 12, year }, name: null })
    context.body = { ...answer(subscription.id), payment_method }
  })
}
