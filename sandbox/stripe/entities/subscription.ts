import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredSubscription, StoredSubscriptionItem } from '../state.ts'
import { wholeList } from './list.ts'

export type SubscriptionInput = {
  automatic_tax?: boolean
  id: string
  billing_cycle_anchor: number
  currency: string
  customer: string
  default_payment_method: string | null
  description: string | null
  discounts: string[]
  items: StoredSubscriptionItem[]
  latest_invoice: string | null
  metadata: Record<string, string>
  status: 'active' | 'incomplete' | 'trialing'
  trial_end: number | null
}

export function newSubscription({ clock, livemode }: Service, input: SubscriptionInput): StoredSubscription {
  const now = clock.now()
  return {
    id: input.id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: {
      disabled_reason: null,
      enabled: input.automatic_tax ?? false,
      liability: input.automatic_tax ? { type: 'self' } : null,
    },
    billing_cycle_anchor: input.billing_cycle_anchor,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: now,
    currency: input.currency,
    customer: input.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: input.default_payment_method,
    default_source: null,
    default_tax_rates: [],
    description: input.description,
    discounts: input.discounts,
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: itemList(input.id, input.items),
    latest_invoice: input.latest_invoice,
    livemode,
    managed_payments: { enabled: false },
    metadata: input.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: input.status,
    test_clock: null,
    transfer_data: null,
    trial_end: input.trial_end,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
    },
    trial_start: input.trial_end === null ? null : now,
  }
}

export function newSubscriptionId(): string {
  return newId('sub')
}

export function itemList(subscription: string, items: StoredSubscriptionItem[]): StoredSubscription['items'] {
  return wholeList(items, `/v1/subscription_items?subscription=${subscription}`)
}

export function hasEnded({ status }: Pick<StoredSubscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}
