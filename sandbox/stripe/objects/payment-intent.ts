import type { CheckoutDetails, StoredPaymentIntent } from '../entities.ts'
import { newId, randomText } from '../ids.ts'
import type { World } from '../world.ts'

export type PaymentIntentInput = {
  amount: number
  currency: string
  customer: string | null
  payment_method_types: string[]
  data: CheckoutDetails['payment_intent_data']
}

/** The intent to pay a checkout session, or an invoice. */
export function newPaymentIntent(
  { clock }: World,
  { amount, currency, customer, payment_method_types, data }: PaymentIntentInput,
): StoredPaymentIntent {
  const id = newId('pi')
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${randomText(25)}`,
    confirmation_method: 'automatic',
    created: clock.now(),
    currency,
    customer,
    customer_account: null,
    description: data.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: { enabled: false },
    metadata: data.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types,
    payment_record: null,
    processing: null,
    receipt_email: data.receipt_email,
    review: null,
    setup_future_usage: data.setup_future_usage,
    shipping: null,
    source: null,
    statement_descriptor: data.statement_descriptor,
    statement_descriptor_suffix: data.statement_descriptor_suffix,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: data.transfer_group,
  }
}
