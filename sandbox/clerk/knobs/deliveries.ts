import { Router } from '@koa/router'
import { z } from 'zod'
import { notFound } from '../errors.ts'
import type { Fault, Faults } from '../middleware/inject-faults.ts'
import type { Service } from '../service.ts'
import { readForm } from '../wire/form.ts'

const LATE_DEFAULT_MS = 10_000
const modeForm = z.discriminatedUnion('mode', [
  z.object({ mode: z.enum(['normal', 'never', 'twice']) }),
  z.object({ mode: z.literal('late'), delay_ms: z.number().int().min(0).default(LATE_DEFAULT_MS) }),
])
const faultForm = z.object({
  status: z.number().int().min(400).max(599),
  count: z.number().int().min(1).max(10_000).default(1),
  path_prefix: z.string().startsWith('/').default('/bapi/'),
  retry_after_s: z.number().int().min(0).nullable().default(null),
})

/** How events are delivered, and which calls fail. */
export function deliveryKnobs(service: Service, faults: Faults): Router {
  const router = new Router({ prefix: '/_sandbox' })

  router.get('/deliveries', (ctx) => {
    ctx.body = service.outbox.mode
  })

  router.post('/deliveries', (ctx) => {
    service.outbox.mode = readForm(ctx, modeForm)
    ctx.body = service.outbox.mode
  })

  router.get('/events', (ctx) => {
    const type = ctx.query.type
    ctx.body = { data: service.store.events.filter((row) => typeof type !== 'string' || row.type === type) }
  })

  router.post('/events/:id/deliver', async (ctx) => {
    const event = service.store.events.get(ctx.params.id)
    if (!event) throw notFound('Event')
    await service.sender.deliver(event)
    ctx.body = event
  })

  router.get('/faults', (ctx) => {
    ctx.body = { data: faults.list() }
  })

  router.post('/faults', (ctx) => {
    const fault: Fault = readForm(ctx, faultForm)
    faults.plan(fault)
    ctx.status = 201
    ctx.body = fault
  })

  router.delete('/faults', (ctx) => {
    faults.clear()
    ctx.body = { data: [] }
  })

  return router
}
