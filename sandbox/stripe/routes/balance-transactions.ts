import type { Router } from '@koa/router'
import { z } from 'zod'
import { findCustomer } from '../entities/customer.ts'
import { changeBalance } from '../entities/customer-balance.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredBalanceTransaction } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import {
  clearable,
  common,
  currency,
  defined,
  integer,
  isWithin,
  metadata,
  pagination,
  range,
  readParams,
  text,
} from '../wire/params.ts'

const createParams = z.strictObject({
  ...common,
  amount: integer,
  currency,
  description: clearable.optional(),
  metadata: metadata.optional(),
})
const updateParams = z.strictObject({
  ...common,
  description: clearable.optional(),
  metadata: metadata.optional(),
})
const listParams = z.strictObject({ ...pagination, created: range.optional(), invoice: text.optional() })

/** A customer's invoice balance. https://docs.stripe.com/api/customer_balance_transactions */
export function balanceTransactionRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (customer: string, id: string): StoredBalanceTransaction => {
    const transaction = store.balance_transactions.get(id)
    if (transaction?.customer !== customer) throw noSuch('customer balance transaction', id)
    return transaction
  }

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

  router.get(
    '/v1/customers/:customer/balance_transactions',
    handle(service, ({ form, path }) => {
      const { created, invoice, ...cursor } = readParams(listParams, form)
      const { id } = findCustomer(service, path('customer'))
      return listPage(store.balance_transactions, cursor, {
        url: `/v1/customers/${id}/balance_transactions`,
        noun: 'customer balance transaction',
        matches: (transaction) =>
          transaction.customer === id &&
          (invoice === undefined || transaction.invoice === invoice) &&
          isWithin(transaction.created, created),
      })
    }),
  )

  router.get(
    '/v1/customers/:customer/balance_transactions/:id',
    handle(service, ({ path }) => find(path('customer'), path('id'))),
  )

  router.post(
    '/v1/customers/:customer/balance_transactions/:id',
    handle(service, ({ form, path }) => {
      const { description, metadata } = readParams(updateParams, form)
      const before = find(path('customer'), path('id'))
      return store.balance_transactions.put({
        ...before,
        ...(description !== undefined && { description }),
        metadata: mergeMetadata(before.metadata, metadata),
      })
    }),
  )
}
