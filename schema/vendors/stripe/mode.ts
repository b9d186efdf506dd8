import { sql } from 'kysely'

/** `sk_live_…` or a restricted key (https://docs.stripe.com/keys). Objects of the modes are separate. */
export function isLiveKey(secretKey: string): boolean {
  return /^(sk|rk)_live_/.test(secretKey)
}

/** Selects Stripe's objects of the mode of this process's key (decision 073). */
export function inThisMode(
  table: 'checkout_intents' | 'stripe_accounts' | 'stripe_customers' | 'subscriptions',
  alias: string = table,
) {
  return sql<boolean>`${sql.ref(`${alias}.livemode`)} = stripe_livemode()`
}

export function modeName(livemode: boolean): 'live mode' | 'test mode' {
  return livemode ? 'live mode' : 'test mode'
}
