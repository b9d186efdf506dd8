import type { Router } from '@koa/router'
import { z } from 'zod'
import { defined } from '../../kit/defined.ts'
import { accountOf, changeSettings, settingsOf } from '../entities/account.ts'
import { runDueWork } from '../entities/due-work.ts'
import { configureEndpoint } from '../entities/webhook-endpoint.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { readText } from '../wire/form.ts'
import { knobsOf, readBody } from './knob.ts'

const one_day_s = 24 * 60 * 60
const one_year_s = 366 * one_day_s

const clockBody = z
  .union([
    z.strictObject({ seconds: z.number().min(0) }),
    z.strictObject({ days: z.number().min(0) }).transform(({ days }) => ({ seconds: days * one_day_s })),
    z.strictObject({ to: z.literal('real_time') }).transform(() => ({ seconds: null })),
  ])
  .refine(({ seconds }) => seconds === null || (Number.isInteger(seconds) && seconds <= 10 * one_year_s), {
    message: 'The clock moves by whole seconds, ten years at most.',
  })
const accountBody = {
  id: z
    .string()
    .regex(/^acct_\w+$/)
    .optional(),
  trial_total: z.enum(['first_period', 'unknown', 'zero']).optional(),
  terms_url: z.url().nullable().optional(),
  tax: z.enum(['active', 'pending']).optional(),
}
const keyBody = {
  key: z.string().regex(/^rk_test_\w+$/),
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
}
const faultBody = {
  status: z.literal([401, 403, 429, 500, 502, 503]).nullable().default(null),
  drop_after: z.boolean().default(false),
  hold: z.boolean().default(false),
  without: z.array(z.string()).default([]),
  count: z.int().min(1).nullable().default(null),
  for_ms: z.int().min(1).nullable().default(null),
  path_prefix: z.string().default('/v1/'),
  method: z.enum(['DELETE', 'GET', 'POST']).nullable().default(null),
}

/** The sandbox as a machine: its clock, its failures, its memory. */
export function machineKnobs(router: Router, service: Service): void {
  const { store, outbox, faults, clock } = service
  const knob = knobsOf(router)

  // For processes that follow this clock; `after` long-polls until the offset changes.
  router.get('/_sandbox/clock', async (context) => {
    const { after } = context.query
    if (typeof after === 'string') await clock.waitUntilMoved(Number(after))
    context.body = { now: clock.now(), offset_ms: clock.offsetMs() }
  })

  router.post('/_sandbox/clock/advance', async (context) => {
    const { seconds } = readBody(await readText(context.req), clockBody)
    const until_ms = seconds === null ? Date.now() : clock.nowMs() + seconds * 1000
    runDueWork(service, until_ms)
    runDueWork(service.otherMode(), until_ms)
    clock.moveTo(until_ms)
    if (seconds === null) clock.catchUp()
    context.body = { now: clock.now() }
  })

  knob('account', accountBody, (changes) => {
    changeSettings(store, { account: { ...settingsOf(store).account, ...defined(changes) } })
    return { account: accountOf(store) }
  })

  knob('keys', keyBody, ({ key, permissions }) => {
    service.restrictedKeys.set(key, permissions)
    return { keys: Object.fromEntries(service.restrictedKeys) }
  })

  knob('faults', faultBody, ({ status, drop_after, hold, for_ms, ...rest }) => {
    if ([status !== null, drop_after, hold, rest.without.length > 0].filter(Boolean).length !== 1) {
      throw invalidRequest(
        'Say either `status`, `drop_after`, `hold` or `without`: a fault does one of them.',
      )
    }
    faults.add({ ...rest, status, drop_after, hold, until_ms: for_ms === null ? null : Date.now() + for_ms })
    return { faults: faults.list() }
  })

  knob('faults/release', {}, () => ({ released: faults.release() }))

  router.delete('/_sandbox/faults', (context) => {
    faults.clear()
    context.body = { faults: [] }
  })

  knob('reset', {}, () => {
    store.clear()
    service.otherMode().store.clear()
    faults.clear()
    service.restrictedKeys.clear()
    configureEndpoint(service)
    outbox.resume()
    return { reset: true }
  })

  router.get('/_sandbox', (context) => {
    const states = [...store.deliveries.oldestFirst()].map(({ state }) => state)
    context.body = {
      sandbox: 'stripe',
      now: new Date(clock.nowMs()).toISOString(),
      delivery_rules: settingsOf(store).delivery_rules,
      account: accountOf(store),
      faults: faults.list(),
      held_answers: faults.held,
      deliveries: Object.fromEntries(
        ['pending', 'delivered', 'abandoned', 'withheld'].map((state) => [
          state,
          states.filter((one) => one === state).length,
        ]),
      ),
    }
  })
}
