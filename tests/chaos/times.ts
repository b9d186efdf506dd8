import { sql } from 'kysely'
import type { Database } from '../../schema/database/connect.ts'
import type { Customer } from './customer.ts'

/** From the payment until its credits were in the ledger, by the real time. */
export interface SettleTimes {
  /** Payments of credits and plans. */
  readonly payments: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly max_ms: number
}

export async function settleTimes(database: Database, customers: readonly Customer[]): Promise<SettleTimes> {
  const granted = await database
    .selectFrom('checkout_intents as intent')
    .innerJoin('ledger_grants as grant', 'grant.intent_id', 'intent.id')
    .innerJoin('ledger_transfers as transfer', 'transfer.grant_id', 'grant.id')
    .groupBy('intent.stripe_session_id')
    .select([
      'intent.stripe_session_id',
      sql<number>`extract(epoch FROM min(transfer.posted_at))::float8 * 1000`.as('posted_at_ms'),
    ])
    .execute()
  const postedAt = new Map(granted.map((row) => [row.stripe_session_id, row.posted_at_ms]))
  const times = customers
    .flatMap(({ paidAt }) => [...paidAt])
    .flatMap(([session, paid]) => {
      const posted = postedAt.get(session)
      return posted === undefined ? [] : [Math.max(0, Math.round(posted - paid))]
    })
    .toSorted((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { payments: times.length, p50_ms: at(0.5), p99_ms: at(0.99), max_ms: at(1) }
}
