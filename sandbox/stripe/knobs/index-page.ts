import type { Router } from '@koa/router'
import type { World } from '../world.ts'

const knobs = {
  'POST /_sandbox/deliveries':
    '{mode: normal|never|twice|late|out_of_order, copies?, delay_ms?, types?}: how events are delivered from now on',
  'GET /_sandbox/deliveries':
    '?state=pending|delivered|abandoned|withheld &event=evt_…: what became of each delivery',
  'POST /_sandbox/deliveries/release': 'send now whatever waits, is late or is withheld',
  'POST /_sandbox/events/:id/deliver':
    '{times?, parallel?}: send an event again now; answers the statuses received',
  'POST /_sandbox/sessions/:id/pay': '{card?, method?: card|delayed, email?, name?}: pay without a browser',
  'POST /_sandbox/sessions/:id/settle': '{outcome: succeeded|failed}: let a delayed payment come to its end',
  'POST /_sandbox/sessions/:id/expire': 'let an open session expire',
  'POST /_sandbox/charges/:id/dispute': '{reason?, amount?}: let the cardholder dispute a charge',
  'POST /_sandbox/disputes/:id/close': '{outcome: won|lost}: let the bank decide',
  'POST /_sandbox/subscriptions/:id/renew':
    '{payment?: card_decides|fails}: let its period or trial end now, and renew it',
  'POST /_sandbox/subscriptions/:id/retry': '{payment?}: try its unpaid invoice again, as the clock would',
  'POST /_sandbox/subscriptions/:id/cancel': '{at_period_end?}: cancel it',
  'POST /_sandbox/subscriptions/:id/card': '{card}: let its customer pay with another test card',
  'POST /_sandbox/clock/advance': '{seconds}: move the clock; what falls due happens',
  'POST /_sandbox/faults':
    '{status: 429|500|502|503 or drop_after: true, count?, for_ms?, path_prefix?, method?}: make API calls fail',
  'DELETE /_sandbox/faults': 'stop that',
  'POST /_sandbox/reset': 'forget everything',
}

/** What can be turned here, and how it stands. */
export function knobIndexRoutes(router: Router, { store, faults, clock }: World): void {
  router.get('/_sandbox', (context) => {
    const states = [...store.deliveries.oldestFirst()].map(({ state }) => state)
    context.body = {
      sandbox: 'stripe',
      now: new Date(clock.nowMs()).toISOString(),
      knobs,
      delivery_rules: store.settings.get('settings')?.delivery_rules ?? [],
      faults: faults.list(),
      deliveries: Object.fromEntries(
        ['pending', 'delivered', 'abandoned', 'withheld'].map((state) => [
          state,
          states.filter((one) => one === state).length,
        ]),
      ),
    }
  })
}
