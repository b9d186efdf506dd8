import type { Router } from '@koa/router'
import type Stripe from 'stripe'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { pageOf } from '../wire/list.ts'
import { isWithin, pagination, range, text } from '../wire/params.ts'

const filters = {
  ...pagination,
  created: range.optional(),
  currency: text.optional(),
  source: text.optional(),
  type: text.optional(),
}

type Movement = Omit<Stripe.BalanceTransaction, 'source' | 'type'> & { source: string; type: string }

/** Stripe's fee for a European card: https://stripe.com/pricing. Refunds do not return it. */
const fees = { share: 0.015, fixed_minor: 25 }

const newestFirst = (a: Movement, b: Movement) => b.created - a.created || b.id.localeCompare(a.id)

/** The account's balance transactions, newest first. https://docs.stripe.com/api/balance_transactions/list */
export function accountBalanceRoutes(router: Router, service: Service): void {
  const path = '/v1/balance_transactions'
  callsOf(router, service)(`GET ${path}`, filters, ({ params: { created, ...asked } }) => {
    const fields = (['currency', 'source', 'type'] as const).filter((name) => asked[name] !== undefined)
    const found = movementsOf(service).filter(
      (movement) =>
        isWithin(movement.created, created) && fields.every((name) => movement[name] === asked[name]),
    )
    return pageOf(found, asked, { url: path, noun: 'balance_transaction' })
  })
}

function movementsOf({ store }: Service): Movement[] {
  const succeededAt = new Map<string, number>()
  const failedAt = new Map<string, number>()
  for (const { type, created, data } of store.events.newestFirst()) {
    if (type === 'charge.succeeded') succeededAt.set((data.object as Stripe.Charge).id, created)
    if (type === 'refund.failed') failedAt.set((data.object as Stripe.Refund).id, created)
  }
  const payments = [...store.charges.newestFirst()].flatMap((charge) => {
    const { id, balance_transaction, amount, currency } = charge
    if (!balance_transaction) return []
    const fee = Math.round(amount * fees.share) + fees.fixed_minor
    return newMovement({
      id: balance_transaction,
      source: id,
      amount,
      fee,
      currency,
      created: succeededAt.get(id) ?? charge.created,
      category: 'charge',
      type: charge.payment_method_details?.type === 'card' ? 'charge' : 'payment',
    })
  })
  const refunds = [...store.refunds.newestFirst()].flatMap((refund) => {
    const { id, balance_transaction, failure_balance_transaction, amount, currency, created } = refund
    const common = { source: id, fee: 0, currency }
    return [
      ...(balance_transaction
        ? [{ ...common, id: balance_transaction, amount: -amount, created, type: 'refund' as const }]
        : []),
      ...(failure_balance_transaction
        ? [
            {
              ...common,
              id: String(failure_balance_transaction),
              amount,
              created: failedAt.get(id) ?? created,
              type: 'refund_failure' as const,
            },
          ]
        : []),
    ].map((money) => newMovement({ ...money, category: money.type }))
  })
  const disputes = [...store.disputes.newestFirst()].flatMap((dispute) =>
    dispute.balance_transactions.map((one): Movement => ({ ...one, source: dispute.id })),
  )
  return [...payments, ...refunds, ...disputes].toSorted(newestFirst)
}

function newMovement({
  category,
  ...money
}: Pick<Movement, 'id' | 'source' | 'amount' | 'fee' | 'currency' | 'created' | 'type'> & {
  category: string
}): Movement {
  const { amount, fee, currency, created } = money
  return {
    ...money,
    object: 'balance_transaction',
    available_on: created,
    balance_type: 'payments',
    description: null,
    exchange_rate: null,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency,
              description: 'Stripe processing fees',
              type: 'stripe_fee',
            },
          ],
    net: amount - fee,
    reporting_category: category,
    status: 'available',
  }
}
