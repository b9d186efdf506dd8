import type { StoredCustomer } from '../entities.ts'
import { newId, randomText } from '../ids.ts'
import type { World } from '../world.ts'

export type CustomerInput = Pick<StoredCustomer, 'metadata'> &
  Partial<Pick<StoredCustomer, 'address' | 'description' | 'email' | 'name' | 'phone' | 'preferred_locales'>>

export function newCustomer({ clock }: World, input: CustomerInput): StoredCustomer {
  return {
    id: newId('cus', 14),
    object: 'customer',
    address: input.address ?? null,
    balance: 0,
    created: clock.now(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: input.description ?? null,
    discount: null,
    email: input.email ?? null,
    invoice_prefix: randomText(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: input.metadata,
    name: input.name ?? null,
    next_invoice_sequence: 1,
    phone: input.phone ?? null,
    preferred_locales: input.preferred_locales ?? [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  }
}
