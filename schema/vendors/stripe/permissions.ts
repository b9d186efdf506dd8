/**
 * What a restricted key must be allowed, by the path of the API below `/v1/`: reading is GET, and everything
 * else is writing (https://docs.stripe.com/keys/restricted-api-keys). What is expanded in an answer has to be
 * readable too. A test derives the list from our calls (scripts/test/permissions.test.ts).
 */
export const neededPermissions = {
  balance_transactions: 'read',
  'billing_portal/configurations': 'write',
  'billing_portal/sessions': 'write',
  charges: 'read',
  'checkout/sessions': 'write',
  customers: 'write',
  disputes: 'read',
  events: 'read',
  invoice_payments: 'read',
  invoiceitems: 'read',
  invoices: 'write',
  payment_intents: 'read',
  payment_methods: 'read',
  prices: 'write',
  products: 'write',
  refunds: 'write',
  subscription_schedules: 'write',
  subscriptions: 'write',
  'tax/settings': 'read',
  webhook_endpoints: 'write',
} as const satisfies Readonly<Record<string, 'read' | 'write'>>
