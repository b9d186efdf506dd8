import type { Router } from '@koa/router'
import type Stripe from 'stripe'
import { z } from 'zod'
import { accountOf } from '../entities/account.ts'
import type { Service } from '../service.ts'
import { handle } from '../wire/handle.ts'
import { common, readParams } from '../wire/params.ts'

/** The account of the key: https://docs.stripe.com/api/accounts/retrieve, without an id in the path. */
export function accountRoutes(router: Router, service: Service): void {
  router.get(
    '/v1/account',
    handle(service, ({ form }): Stripe.Account => {
      readParams(z.strictObject(common), form)
      return {
        id: accountOf(service.store).id,
        object: 'account',
        charges_enabled: true,
        country: 'DE',
        default_currency: 'eur',
        details_submitted: true,
        email: null,
        payouts_enabled: true,
        type: 'standard',
      }
    }),
  )
}
