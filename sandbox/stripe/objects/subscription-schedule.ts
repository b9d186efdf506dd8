import type { StoredPhase, StoredSchedule, StoredSubscription } from '../entities.ts'
import { newId } from '../ids.ts'
import type { World } from '../world.ts'
import type { Period } from './subscription-item.ts'

export type PhaseItem = { price: string; quantity: number }

/** A plan for a subscription: what it is now, and what it will be when its period is over. */
export function newSchedule(
  { clock }: World,
  { subscription, phases }: { subscription: StoredSubscription; phases: StoredPhase[] },
): StoredSchedule {
  const [current] = phases
  return {
    id: newId('sub_sched'),
    object: 'subscription_schedule',
    application: null,
    billing_mode: subscription.billing_mode,
    canceled_at: null,
    completed_at: null,
    created: clock.now(),
    current_phase: current ? { end_date: current.end_date, start_date: current.start_date } : null,
    customer: subscription.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      automatic_tax: { disabled_reason: null, enabled: false, liability: null },
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: 'charge_automatically',
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: 'release',
    livemode: false,
    metadata: {},
    pause_schedules: [],
    phases,
    released_at: null,
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
    test_clock: null,
  }
}

export function newPhase(
  { currency }: StoredSubscription,
  { items, period }: { items: PhaseItem[]; period: Period },
): StoredPhase {
  return {
    add_invoice_items: [],
    application_fee_percent: null,
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: null,
    currency,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    end_date: period.end,
    invoice_settings: null,
    items: items.map(({ price, quantity }) => ({
      billing_thresholds: null,
      discounts: [],
      metadata: {},
      plan: price,
      price,
      quantity,
      tax_rates: [],
    })),
    metadata: {},
    on_behalf_of: null,
    proration_behavior: 'none',
    start_date: period.start,
    transfer_data: null,
    trial_end: null,
  }
}
