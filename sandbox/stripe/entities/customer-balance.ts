import type Stripe from 'stripe'
import { newId } from '../../kit/id.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredCustomer } from '../state.ts'
import { emit } from './event.ts'

export type BalanceChange = {
  /** In minor units of `currency`: below zero is a credit of the customer's. */
  amount: number
  currency: string
  type: 'adjustment' | 'applied_to_invoice' | 'initial' | 'invoice_too_small' | 'unapplied_from_invoice'
  description?: string | null
  invoice?: string | null
  metadata?: Record<string, string>
}

/**
 * An entry in the ledger of a customer's invoice balance, and the balance that follows from it. The first one
 * decides the customer's currency. https://docs.stripe.com/billing/customer/balance
 */
export function changeBalance(
  service: Service,
  customer: StoredCustomer,
  { cause, ...change }: BalanceChange & { cause: Cause },
): Stripe.CustomerBalanceTransaction {
  const { store, clock } = service
  const { amount, currency } = change
  const ending_balance = balanceFor(customer, currency) + amount
  const after = store.customers.put(
    withBalance(
      { ...customer, currency: customer.currency ?? currency },
      { currency, balance: ending_balance },
    ),
  )
  if (after.balance !== customer.balance || after.currency !== customer.currency) {
    emit(service, 'customer.updated', after, {
      cause,
      previous_attributes: {
        ...(after.balance !== customer.balance && { balance: customer.balance }),
        ...(after.currency !== customer.currency && { currency: customer.currency }),
      },
    })
  }
  return {
    id: newId('cbtxn'),
    object: 'customer_balance_transaction',
    amount,
    checkout_session: null,
    created: clock.now(),
    credit_note: null,
    currency,
    customer: customer.id,
    customer_account: null,
    description: change.description ?? null,
    ending_balance,
    invoice: change.invoice ?? null,
    livemode: service.livemode,
    metadata: change.metadata ?? {},
    type: change.type,
  }
}

/** What a customer has in credit (below zero) or owes from small sums, in the currency of an invoice. */
export function balanceFor(
  { balance, currency, invoice_credit_balance }: StoredCustomer,
  invoice_currency: string,
): number {
  const own = currency === invoice_currency ? balance : 0
  return invoice_credit_balance?.[invoice_currency] ?? own
}

export function withBalance(
  customer: StoredCustomer,
  { currency, balance }: { currency: string; balance: number },
): StoredCustomer {
  return {
    ...customer,
    balance: customer.currency === currency ? balance : customer.balance,
    invoice_credit_balance: { ...customer.invoice_credit_balance, [currency]: balance },
  }
}
