import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { createPool } from './pool.ts'
import type { DB } from './types.ts'

export type Database = Kysely<DB>
export type DatabaseTransaction = Transaction<DB>

/** The group role that decides what a process may do; see the first migration. */
export type DatabaseRole = 'tidemark_server' | 'tidemark_worker'

/** `owner` is the login of the connection string: for migrations, verification and tests, never for a process. */
export type DatabaseActor = DatabaseRole | 'owner'

export interface DatabaseConnection {
  readonly db: Database
  readonly pool: pg.Pool
  close(): Promise<void>
}

/** Credits and minor units stay far below 2^53, so an int8 is a number; one that does not fit is an error, not a rounding. */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a JavaScript number`)
  return value
}

const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? parseInt8
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/**
 * Opens a pool whose sessions act as `role`: even a mistake in the process cannot write what the role may not. Connections
 * that Postgres drops (a restart) are replaced, and their errors handed to `onError`.
 */
export function connectDatabase(options: {
  connectionString: string
  role: DatabaseActor
  /** Whether the process has a live key of Stripe's: rows of the other mode are not used (decision 073). Left out, it has not. */
  livemode?: boolean
  poolMax: number
  onError: (error: Error) => void
}): DatabaseConnection {
  const pool = createPool(
    {
      connectionString: options.connectionString,
      application_name: options.role === 'owner' ? 'tidemark_owner' : options.role,
      options: [
        ...(options.role === 'owner' ? [] : [`-c role=${options.role}`]),
        `-c tidemark.livemode=${options.livemode ? 'on' : 'off'}`,
      ].join(' '),
      max: options.poolMax,
      connectionTimeoutMillis: 10_000,
      types,
    },
    options.onError,
  )
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}
