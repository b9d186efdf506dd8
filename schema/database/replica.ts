import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { withTimeLimit } from '../time-limit.ts'
import { type Database, openDatabase, openPool, type ReadDatabase, type SessionOptions } from './connect.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

/** Where one request reads what may be a moment old. */
export interface Reads {
  readonly db: ReadDatabase
  /**
   * Everything that was committed so long ago is in it, and something newer may be missing; 0 for the
   * primary.
   */
  readonly age_ms: number
  readonly is_replica: boolean
}

/**
 * Where reads went: to the replica, or to the primary because the replica is too far behind or does not
 * answer.
 */
export type ReadOutcome = 'replica' | 'behind' | 'away'

export interface ReplicaConnection {
  /** Chosen once for a request, so that a later read of it is never older than an earlier one. */
  choose(): Promise<Reads>
  close(): Promise<void>
}

export interface ReplicaOptions extends SessionOptions {
  readonly primary: { readonly db: Database; readonly pool: pg.Pool }
  /** A replica that is further behind is not read. */
  readonly maxAgeMs: number
  readonly onChoice: (outcome: ReadOutcome) => void
}

/** How old what is known of the replica may be. */
const measureEveryMs = 1000
const patienceMs = 1000

interface Measured {
  readonly at_ms: number
  readonly outcome: ReadOutcome
  readonly lag_ms: number
}

/** Reads from the primary. */
export function readsFrom(db: Database): Reads {
  return { db, age_ms: 0, is_replica: false }
}

/**
 * Connects to a streaming replica. Reads go to the primary while it does not answer, is more than `maxAgeMs`
 * behind, or has become a primary itself.
 */
export function connectReplica(options: ReplicaOptions): ReplicaConnection {
  const { primary, maxAgeMs, onChoice, ...session } = options
  const pool = openPool(session, {
    options: '-c default_transaction_read_only=on',
    connectionTimeoutMillis: patienceMs,
  })
  const db = openDatabase(withSubstitute(pool, primary.pool))
  let known: Measured | undefined
  let measuring: Promise<Measured> | undefined

  async function measure(): Promise<Measured> {
    const at_ms = Date.now()
    const limit = { limit_ms: patienceMs, what: 'Asking the replica how far it is' }
    try {
      const lag_ms = await withTimeLimit(measureLag(primary.pool, pool), limit)
      return { at_ms, lag_ms, outcome: lag_ms > maxAgeMs ? 'behind' : 'replica' }
    } catch (error) {
      if (known?.outcome !== 'away') session.onError(error as Error)
      return { at_ms, lag_ms: 0, outcome: 'away' }
    }
  }

  /** No read waits for a replica that was away or behind: it is checked beside the reads. */
  async function look(): Promise<Measured> {
    if (known && Date.now() - known.at_ms < measureEveryMs) return known
    measuring ??= measure().then((measured) => {
      known = measured
      measuring = undefined
      return measured
    })
    return known && known.outcome !== 'replica' ? known : measuring
  }

  return {
    async choose() {
      const { outcome, lag_ms, at_ms } = await look()
      onChoice(outcome)
      if (outcome !== 'replica') return readsFrom(primary.db)
      return { db, age_ms: lag_ms + Date.now() - at_ms, is_replica: true }
    },
    async close() {
      await measuring
      // Kysely would end the pool only if it had used it.
      await pool.end()
    },
  }
}

/**
 * How far the replica is behind at most, in milliseconds: nothing when it has replayed all that the primary
 * had just written, else the age of the last commit that it has replayed, since commits are replayed in their
 * order.
 */
async function measureLag(primary: pg.Pool, replica: pg.Pool): Promise<number> {
  const written = await primary.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn')
  const replayed = await replica.query<{ is_current: boolean; age_ms: number | null }>(
    `SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS is_current,
       extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 * 1000 AS age_ms
     WHERE pg_is_in_recovery()`,
    [written.rows[0]?.lsn],
  )
  const [row] = replayed.rows
  if (!row) throw new Error('DATABASE_READ_URL is no replica')
  return row.is_current ? 0 : (row.age_ms ?? Number.POSITIVE_INFINITY)
}

/**
 * Takes connections of `pool`. One that cannot be made, or fails at its first query, is replaced by one of
 * `substitute`.
 */
function withSubstitute(pool: pg.Pool, substitute: pg.Pool): PostgresPool {
  return {
    options: {},
    end: async () => undefined,
    async connect() {
      let client: PostgresPoolClient = await pool.connect().catch(() => substitute.connect())
      let isFirst = true
      const query = async <R>(sql: string, parameters: readonly unknown[]) => {
        const mayMove = isFirst
        isFirst = false
        try {
          return await client.query<R>(sql, parameters)
        } catch (error) {
          if (!mayMove || !isDatabaseUnavailable(error)) throw error
          // The lost one is given back when there is another: the holder of this connection gives back what
          // it has, once.
          const other = await substitute.connect()
          client.release(true)
          client = other
          return client.query<R>(sql, parameters)
        }
      }
      return { query: query as PostgresPoolClient['query'], release: (destroy) => client.release(destroy) }
    },
  }
}
