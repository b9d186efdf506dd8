import type { Router } from '@koa/router'
import type Stripe from 'stripe'
import { z } from 'zod'
import { newId } from '../../kit/id.ts'
import { runDueWork } from '../entities/due-work.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import { handle } from '../wire/handle.ts'
import { common, integer, readParams, text } from '../wire/params.ts'

const path = '/v1/test_helpers/test_clocks'
const createParams = z.strictObject({ ...common, frozen_time: integer, name: text.optional() })
const advanceParams = z.strictObject({ ...common, frozen_time: integer })
const kept_s = 30 * 86_400
/** Two intervals of the shortest subscription: https://docs.stripe.com/billing/testing/test-clocks */
const furthest_s = 62 * 86_400

/**
 * The sandbox has one clock for all: a test clock begins at its time and moves it.
 * https://docs.stripe.com/api/test_clocks
 */
export function testClockRoutes(router: Router, service: Service): void {
  const { clock } = service
  const clocks = new Map<string, Stripe.TestHelpers.TestClock>()
  const find = (id: string): Stripe.TestHelpers.TestClock => {
    const found = clocks.get(id)
    if (!found) throw noSuch('test clock', id)
    return found
  }

  router.post(
    path,
    handle(service, ({ form }) => {
      const { frozen_time, name = null } = readParams(createParams, form)
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
    }),
  )

  router.get(
    `${path}/:id`,
    handle(service, ({ path }) => find(path('id'))),
  )

  router.post(
    `${path}/:id/advance`,
    handle(service, ({ form, path }) => {
      const { frozen_time } = readParams(advanceParams, form)
      const before = find(path('id'))
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
    }),
  )

  router.delete(
    `${path}/:id`,
    handle(service, ({ path }) => {
      const { id, object } = find(path('id'))
      clocks.delete(id)
      return { id, object, deleted: true }
    }),
  )
}
