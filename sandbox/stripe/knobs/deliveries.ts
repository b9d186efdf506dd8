import type { Router } from '@koa/router'
import { z } from 'zod'
import type { DeliveryRule } from '../../kit/outbox.ts'
import { changeSettings, settingsOf } from '../entities/account.ts'
import { noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { State } from '../state.ts'
import { readJson } from './read-json.ts'

const deliveriesBody = z.strictObject({
  mode: z.enum(['normal', 'never', 'twice', 'late', 'out_of_order']),
  copies: z.int().min(1).max(100).optional(),
  delay_ms: z.int().min(0).max(86_400_000).optional(),
  types: z.array(z.string()).min(1).optional(),
})
const deliverBody = z.strictObject({
  times: z.int().min(1).max(100).default(1),
  parallel: z.boolean().default(false),
})

const listBody = z.strictObject({ listed: z.boolean() })

/** How far apart the modes are when the caller does not say. */
const default_delay_ms = { normal: 0, never: 0, twice: 0, late: 5000, out_of_order: 1000 }

export function deliveryKnobs(router: Router, { store, outbox }: Service): void {
  router.get('/_sandbox/deliveries', (context) => {
    context.body = {
      rules: settingsOf(store).delivery_rules,
      deliveries: [...store.deliveries.newestFirst()].filter(
        ({ state, event }) =>
          (!context.query.state || state === context.query.state) &&
          (!context.query.event || event === context.query.event),
      ),
    }
  })

  router.post('/_sandbox/deliveries', async (context) => {
    const { mode, copies, delay_ms, types } = await readJson(context, deliveriesBody)
    const rules = addDeliveryRule(store, {
      mode,
      copies: copies ?? (mode === 'twice' ? 2 : 1),
      delay_ms: delay_ms ?? default_delay_ms[mode],
      types: types ?? null,
    })
    context.body = { rules }
  })

  router.post('/_sandbox/deliveries/release', (context) => {
    context.body = { released: outbox.release() }
  })

  router.post('/_sandbox/events/:id/list', async (context) => {
    const { listed } = await readJson(context, listBody)
    const event = store.events.get(context.params.id)
    if (!event) throw noSuch('event', context.params.id ?? '')
    const others = settingsOf(store).unlisted_events.filter((id) => id !== event.id)
    changeSettings(store, { unlisted_events: listed ? others : [...others, event.id] })
    context.body = { event: event.id, listed }
  })

  router.post('/_sandbox/events/:id/deliver', async (context) => {
    const { times, parallel } = await readJson(context, deliverBody)
    const event = store.events.get(context.params.id)
    if (!event) throw noSuch('event', context.params.id ?? '')
    const results = []
    if (parallel) {
      results.push(...(await Promise.all(Array.from({ length: times }, () => outbox.sendNow(event)))))
    } else {
      for (let sent = 0; sent < times; sent++) results.push(await outbox.sendNow(event))
    }
    const deliveries = results
      .flat()
      .map((result) => ({ ...result, url: store.webhook_endpoints.get(result.endpoint)?.url }))
    context.body = { deliveries }
  })
}

/** A general rule replaces all others; a rule for some types is added to them. */
function addDeliveryRule(store: State, rule: DeliveryRule): DeliveryRule[] {
  const delivery_rules = rule.types ? [...settingsOf(store).delivery_rules, rule] : [rule]
  return changeSettings(store, { delivery_rules }).delivery_rules
}
