import type { Router } from '@koa/router'
import { z } from 'zod'
import { changeSettings, settingsOf } from '../entities/account.ts'
import { existing } from '../errors.ts'
import type { Service } from '../service.ts'
import { knobsOf } from './knob.ts'

const rule = {
  mode: z.enum(['normal', 'never', 'twice', 'late', 'out_of_order']),
  copies: z.int().min(1).max(100).optional(),
  delay_ms: z.int().min(0).max(86_400_000).optional(),
  types: z.array(z.string()).min(1).optional(),
}
const manner = { times: z.int().min(1).max(100).default(1), parallel: z.boolean().default(false) }

/** How far apart the modes are when the caller does not say. */
const default_delay_ms = { normal: 0, never: 0, twice: 0, late: 5000, out_of_order: 1000 }

export function deliveryKnobs(router: Router, { store, outbox }: Service): void {
  const knob = knobsOf(router)
  router.get('/_sandbox/deliveries', (context) => {
    context.body = {
      rules: settingsOf(store).delivery_rules,
      deliveries: [...store.deliveries.newestFirst()],
    }
  })

  // A general rule replaces all others; a rule for some types is added to them.
  knob('deliveries', rule, ({ mode, copies = mode === 'twice' ? 2 : 1, ...given }) => {
    const { delay_ms = default_delay_ms[mode], types = null } = given
    const before = types ? settingsOf(store).delivery_rules : []
    const delivery_rules = [...before, { mode, copies, delay_ms, types }]
    return { rules: changeSettings(store, { delivery_rules }).delivery_rules }
  })

  knob('deliveries/release', {}, () => ({ released: outbox.release() }))

  knob('events/:id/list', { listed: z.boolean() }, ({ listed }, id) => {
    existing(store.events, 'event', id)
    const others = settingsOf(store).unlisted_events.filter((one) => one !== id)
    changeSettings(store, { unlisted_events: listed ? others : [...others, id] })
    return { event: id, listed }
  })

  knob('events/:id/deliver', manner, async ({ times, parallel }, id) => {
    const event = existing(store.events, 'event', id)
    const results = []
    if (parallel) {
      results.push(...(await Promise.all(Array.from({ length: times }, () => outbox.sendNow(event)))))
    } else {
      for (let sent = 0; sent < times; sent++) results.push(await outbox.sendNow(event))
    }
    const deliveries = results
      .flat()
      .map((result) => ({ ...result, url: store.webhook_endpoints.get(result.endpoint)?.url }))
    return { deliveries }
  })
}
