import type {
  CheckoutDetails,
  Delivery,
  Settings,
  SigningSecret,
  StoredAnswer,
  StoredCharge,
  StoredCustomer,
  StoredDispute,
  StoredEvent,
  StoredInvoice,
  StoredInvoiceItem,
  StoredInvoicePayment,
  StoredPaymentIntent,
  StoredPaymentMethod,
  StoredPortalConfiguration,
  StoredPortalSession,
  StoredPrice,
  StoredProduct,
  StoredRefund,
  StoredSchedule,
  StoredSession,
  StoredSubscription,
  StoredWebhookEndpoint,
  SubscriptionDetails,
} from '../state.ts'
import { type Collection, createCollection } from './collection.ts'
import { type Change, openJournal } from './journal.ts'

type Tables = {
  settings: Settings
  customers: StoredCustomer
  products: StoredProduct
  prices: StoredPrice
  checkout_sessions: StoredSession
  checkout_details: CheckoutDetails
  payment_methods: StoredPaymentMethod
  payment_intents: StoredPaymentIntent
  charges: StoredCharge
  refunds: StoredRefund
  disputes: StoredDispute
  subscriptions: StoredSubscription
  subscription_details: SubscriptionDetails
  subscription_schedules: StoredSchedule
  invoices: StoredInvoice
  invoice_items: StoredInvoiceItem
  invoice_payments: StoredInvoicePayment
  portal_configurations: StoredPortalConfiguration
  portal_sessions: StoredPortalSession
  events: StoredEvent
  webhook_endpoints: StoredWebhookEndpoint
  signing_secrets: SigningSecret
  deliveries: Delivery
  answers: StoredAnswer
}

const table_names = [
  'settings',
  'customers',
  'products',
  'prices',
  'checkout_sessions',
  'checkout_details',
  'payment_methods',
  'payment_intents',
  'charges',
  'refunds',
  'disputes',
  'subscriptions',
  'subscription_details',
  'subscription_schedules',
  'invoices',
  'invoice_items',
  'invoice_payments',
  'portal_configurations',
  'portal_sessions',
  'events',
  'webhook_endpoints',
  'signing_secrets',
  'deliveries',
  'answers',
] as const satisfies (keyof Tables)[]

export type Store = { [Name in keyof Tables]: Collection<Tables[Name]> } & {
  /** Writes what has changed. Whoever answers a caller calls this first: an answer is a promise. */
  flush(): void
  clear(): void
  close(): void
}

/** Every object of the sandbox, in memory, and in `state_file` when one is given. Changes of one tick are written as one. */
export function createStore({ state_file }: { state_file: string | null }): Store {
  const journal = state_file === null ? null : openJournal(state_file)
  let unwritten: Change[] = []
  let is_flush_scheduled = false

  const record = (name: keyof Tables) => (id: string, value: unknown) => {
    if (!journal) return
    unwritten.push([name, id, value])
    if (is_flush_scheduled) return
    is_flush_scheduled = true
    setImmediate(flush)
  }

  const tables = Object.fromEntries(table_names.map((name) => [name, createCollection(record(name))])) as {
    [Name in keyof Tables]: Collection<Tables[Name]>
  }

  function flush() {
    is_flush_scheduled = false
    if (!journal || unwritten.length === 0) return
    const changes = unwritten
    unwritten = []
    try {
      if (journal.isDeleted() || journal.isLong()) journal.rewrite(snapshot())
      else journal.append(changes)
    } catch (error) {
      // What cannot be written may not be answered, and a sandbox that cannot write may not go on as if it could.
      setImmediate(() => {
        throw error
      })
      throw error
    }
  }

  function snapshot(): Change[] {
    const changes: Change[] = []
    for (const name of table_names) {
      for (const value of tables[name].oldestFirst()) changes.push([name, value.id, value])
    }
    return changes
  }

  function restore(changes: Change[]) {
    for (const [name, id, value] of changes) {
      const table = tables[name as keyof Tables] as Collection<{ id: string }> | undefined
      if (value === null) table?.remove(id)
      else table?.put(value as { id: string })
    }
  }

  if (journal) {
    journal.read().forEach(restore)
    journal.rewrite(snapshot())
    unwritten = []
  }

  return {
    ...tables,
    flush,
    clear() {
      for (const name of table_names) {
        for (const { id } of [...tables[name].oldestFirst()]) tables[name].remove(id)
      }
      flush()
      journal?.rewrite([])
    },
    close() {
      flush()
      journal?.close()
    },
  }
}
