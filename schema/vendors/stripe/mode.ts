import { sql } from 'kysely'
import type { DB } from '../../database/types.ts'

/** `sk_live_…` or a restricted key (https://docs.stripe.com/keys). Objects of the modes are separate. */
export function isLiveKey(secretKey: string): boolean {
  return /^(sk|rk)_live_/.test(secretKey)
}

/** Selects Stripe's objects of the mode of this process's key (decision 073). */
export function inThisMode(
  table: { [Table in keyof DB]: 'livemode' extends keyof DB[Table] ? Table : never }[keyof DB],
  alias: string = table,
) {
  return sql<boolean>`${sql.ref(`${alias}.livemode`)} = stripe_livemode()`
}

interface Mode {
  readonly livemode: boolean
}

/** The figures of `other_mode`, of an object and of this process's key. */
export function modesOf(its: Mode, ours: Mode) {
  const nameOf = ({ livemode }: Mode) => (livemode ? 'live' : 'test')
  return { its: nameOf(its), ours: nameOf(ours) } as const
}
