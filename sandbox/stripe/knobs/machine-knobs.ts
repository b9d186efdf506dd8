import type { Router } from '@koa/router'
import { z } from 'zod'
import { invalidRequest } from '../errors.ts'
import { configureEndpoint } from '../objects/webhook-endpoint.ts'
import { runDueWork } from '../payments/due-work.ts'
import type { World } from '../world.ts'
import { readJson } from './read-json.ts'

const one_year_s = 366 * 24 * 60 * 60

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

/** The sandbox as a machine: its clock, its failures, its memory. */
export function machineKnobs(router: Router, world: World): void {
  const { store, deliverer, faults, clock } = world

  router.post('/_sandbox/clock/advance', async (context) => {
    const { seconds } = await readJson(context, clockBody)
    const until_ms = clock.nowMs() + seconds * 1000
    runDueWork(world, until_ms)
    clock.moveTo(until_ms)
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
