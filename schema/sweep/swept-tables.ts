import { type SqlBool, sql } from 'kysely'
import { unsettledStates } from '../checkout/intents.ts'
import { finalStatuses } from '../stripe/statuses.ts'

/** Every table with a `sweep_at`: its key, which of its rows still wait for something, and where these are found: in an index of it, or in a list. */
export const sweptTables = {
  inbox_events: { key: ['source', 'id'], isWaiting: sql<SqlBool>`state = 'received'`, list: 'inbox_waiting' },
  checkout_intents: {
    key: ['id'],
    isWaiting: sql<SqlBool>`state IN (${literals(unsettledStates)})`,
    list: 'checkout_waiting',
  },
  subscriptions: {
    key: ['stripe_subscription_id'],
    isWaiting: sql<SqlBool>`status NOT IN (${literals(finalStatuses)}) AND sync_failed_at IS NULL`,
    list: null,
  },
  team_invitations: {
    key: ['id'],
    isWaiting: sql<SqlBool>`sweep_at IS NOT NULL AND sync_failed_at IS NULL`,
    list: null,
  },
  support_acts: { key: ['id'], isWaiting: sql<SqlBool>`state = 'queued'`, list: null },
} as const

export type SweptTable = keyof typeof sweptTables

/** How the tries of a row went; the columns are the same in every swept table. */
export interface TryRecord {
  /** Number of the last claim; a failure that was recorded counts as one, so that no try is recorded twice. */
  readonly sweeps: number
  readonly attempts: number
  readonly unavailable_since: Date | null
}

/** What a try that succeeded leaves of those before it. */
export const cleanRecord = { sweeps: 0, attempts: 0, last_error: null, unavailable_since: null } as const

function literals(values: readonly string[]) {
  return sql.join(values.map((value) => sql.lit(value)))
}
