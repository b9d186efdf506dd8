import type { Router } from '@koa/router'
import type Stripe from 'stripe'
import { accountOf } from '../entities/account.ts'
import { defaultAddress } from '../entities/payment-method.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { pageOf } from '../wire/list.ts'
import { isWithin, pagination, range, text } from '../wire/params.ts'

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
