import type { Router } from '@koa/router'
import { z } from 'zod'
import { findCustomer } from '../entities/customer.ts'
import { changeBalance } from '../entities/customer-balance.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import type { Service } from '../service.ts'
import { handle } from '../wire/handle.ts'
import { clearable, common, currency, defined, integer, metadata, readParams } from '../wire/params.ts'

const createParams = z.strictObject({
  ...common,
  amount: integer,
  currency,
  description: clearable.optional(),
  metadata: metadata.optional(),
})

/** A customer's invoice balance. https://docs.stripe.com/api/customer_balance_transactions */
export function balanceTransactionRoutes(router: Router, service: Service): void {
  router.post(
    '/v1/customers/:customer/balance_transactions',
    handle(service, ({ form, path, cause }) => {
      const { expand: _, metadata, ...input } = readParams(createParams, form)
      return changeBalance(service, findCustomer(service, path('customer')), {
        ...defined(input),
        cause,
        metadata: mergeMetadata(null, metadata),
        type: 'adjustment',
      })
    }),
  )
}
