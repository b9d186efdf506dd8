import type { Router } from '@koa/router'
import type Stripe from 'stripe'
import { accountOf } from '../entities/account.ts'
import { defaultAddress } from '../entities/payment-method.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'

export function accountRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  // The account of the key: https://docs.stripe.com/api/accounts/retrieve, without an id in the path.
  call(
    'GET /v1/account',
    {},
    (): Stripe.Account => ({
      id: accountOf(service.store).id,
      object: 'account',
      charges_enabled: true,
      country: 'DE',
      default_currency: 'eur',
      details_submitted: true,
      email: null,
      payouts_enabled: true,
      type: 'standard',
    }),
  )

  // https://docs.stripe.com/api/tax/settings
  call('GET /v1/tax/settings', {}, (): Stripe.Tax.Settings => {
    const is_active = accountOf(service.store).tax === 'active'
    return {
      object: 'tax.settings',
      defaults: { provider: 'stripe', tax_behavior: null, tax_code: null },
      head_office: is_active ? { address: defaultAddress } : null,
      livemode: service.livemode,
      status: is_active ? 'active' : 'pending',
      status_details: is_active ? { active: {} } : { pending: { missing_fields: ['head_office'] } },
    }
  })
}
