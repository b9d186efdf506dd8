import type { Router } from '@koa/router'
import type Stripe from 'stripe'
import { newId } from '../../kit/id.ts'
import { runDueWork } from '../entities/due-work.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { integer, text } from '../wire/params.ts'

const path = '/v1/test_helpers/test_clocks'
const kept_s = 30 * 86_400
/** Two intervals of the shortest subscription: https://docs.stripe.com/billing/testing/test-clocks */
const furthest_s = 62 * 86_400

/**
 * The sandbox has one clock for all: a test clock begins at its time and moves it.
 * https://docs.stripe.com/api/test_clocks
 */
export function testClockRoutes(router: Router, service: Service): void {
  const { clock } = service
  const call = callsOf(router, service)
  const clocks = new Map<string, Stripe.TestHelpers.TestClock>()
  const find = (id: string): Stripe.TestHelpers.TestClock => {
    const found = clocks.get(id)
    if (!found) throw noSuch('test clock', id)
    return found
  }

  call(`POST ${path}`, { frozen_time: integer, name: text.optional() }, ({ params }) => {
    const { frozen_time, name = null } = params
    if (Math.abs(frozen_time - clock.now()) > 60) {
      throw invalidRequest('The sandbox has one clock: a test clock begins at its time.', {
        param: 'frozen_time',
      })
    }
    const made: Stripe.TestHelpers.TestClock = {
      id: newId('clock'),
      object: 'test_helpers.test_clock',
      created: clock.now(),
      deletes_after: clock.now() + kept_s,
      frozen_time,
      livemode: false,
      name,
      status: 'ready',
      status_details: {},
    }
    clocks.set(made.id, made)
    return made
  })

  call(`GET ${path}/:id`, {}, ({ id }) => find(id))

  call(`POST ${path}/:id/advance`, { frozen_time: integer }, ({ id, params: { frozen_time } }) => {
    const before = find(id)
    const ahead_s = frozen_time - before.frozen_time
    if (ahead_s <= 0 || ahead_s > furthest_s) {
      throw invalidRequest('A test clock advances, at most by two intervals at once.', {
        param: 'frozen_time',
      })
    }
    runDueWork(service, frozen_time * 1000)
    clock.moveTo(frozen_time * 1000)
    const after = { ...before, frozen_time }
    clocks.set(after.id, after)
    return after
  })

  call(`DELETE ${path}/:id`, {}, ({ id }) => {
    const { object } = find(id)
    clocks.delete(id)
    return { id, object, deleted: true }
  })
}
