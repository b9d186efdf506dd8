import { invalidRequest } from '../errors.ts'
import type { CreateSessionParams } from '../routes/checkout-session-params.ts'

const payment_only = ['customer_creation', 'invoice_creation', 'payment_intent_data', 'submit_type'] as const
const subscription_only = ['payment_method_collection', 'subscription_data'] as const

/** Parameters that belong to one mode are refused in the other. */
export function checkMode(params: CreateSessionParams): void {
  const foreign = params.mode === 'payment' ? subscription_only : payment_only
  const param = foreign.find((name) => params[name] !== undefined)
  if (param === undefined) return
  throw invalidRequest(`You can not pass \`${param}\` in \`${params.mode}\` mode.`, { param })
}
