import type { Router } from '@koa/router'
import { z } from 'zod'
import type { DeliveryRule } from '../../kit/outbox.ts'
import { notFound } from '../errors.ts'
import type { Service } from '../service.ts'
import type { WebhookEvent } from '../state.ts'
import { readForm } from '../wire/form.ts'

const LATE_DEFAULT_MS = 10_000
const modeForm = z.discriminatedUnion('mode', [
  z.object({ mode: z.enum(['normal', 'never', 'twice']) }),
  z.object({ mode: z.literal('late'), delay_ms: z.number().int().min(0).default(LATE_DEFAULT_MS) }),
])

/** Controls how events are delivered to the application. */
export function deliveryKnobs(router: Router, service: Service): void {
  const { store, outbox, deliveryRule } = service
  router.get('/_sandbox/deliveries', (ctx) => {
    ctx.body = modeOf(deliveryRule.current)
  })

  router.post('/_sandbox/deliveries', (ctx) => {
    const form = readForm(ctx, modeForm)
    deliveryRule.current = {
      mode: form.mode,
      copies: form.mode === 'twice' ? 2 : 1,
      delay_ms: form.mode === 'late' ? form.delay_ms : 0,
      types: null,
    }
    ctx.body = form
  })

  router.get('/_sandbox/events', (ctx) => {
    const { type } = ctx.query
    const found = store.events.filter((row) => typeof type !== 'string' || row.type === type)
    ctx.body = { data: found.map((row) => eventWithDelivery(service, row)) }
  })

  router.post('/_sandbox/events/:id/deliver', async (ctx) => {
    const event = store.events.get(ctx.params.id)
    if (!event) throw notFound('Event')
    await outbox.sendNow(event)
    ctx.body = eventWithDelivery(service, event)
  })
}

function modeOf(rule: DeliveryRule | null) {
  if (rule?.mode === 'late') return { mode: rule.mode, delay_ms: rule.delay_ms }
  return { mode: rule?.mode ?? 'normal' }
}

/** An event, with the status of its least advanced delivery. */
function eventWithDelivery({ outbox }: Service, event: WebhookEvent) {
  const deliveries = outbox.deliveriesOf(event.id)
  const has = (state: string) => deliveries.some((row) => row.state === state)
  const tried = deliveries.findLast((row) => row.attempts > 0)
  const pending = deliveries.filter((row) => row.state === 'pending')
  return {
    ...event,
    status: has('pending')
      ? 'pending'
      : has('withheld')
        ? 'withheld'
        : has('abandoned')
          ? 'failed'
          : 'delivered',
    deliveries_wanted: deliveries.filter((row) => row.state !== 'delivered').length,
    attempts: deliveries.reduce((sum, row) => sum + row.attempts, 0),
    next_attempt_at: pending.length > 0 ? Math.min(...pending.map((row) => row.next_attempt_at_ms)) : null,
    last_status: tried?.last_status ?? null,
    last_error: tried?.last_error ?? null,
  }
}
