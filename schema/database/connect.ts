import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { createPool, type SessionSettings } from './pool.ts'
import type { DB } from './types.ts'

export type Database = Kysely<DB>
export type DatabaseTransaction = Transaction<DB>

/**
 * A handle for code that only reads. Any database or transaction is one, but not the other way round, so it
 * cannot be passed to code that writes or locks.
 */
export type ReadDatabase = Pick<Database, 'selectFrom' | 'with' | 'getExecutor'>

/** The group role that decides what a process may do; see the first migration. */
export type DatabaseRole = 'tidemark_server' | 'tidemark_worker'

/**
 * `owner` is the login of the connection string: for migrations, verification and tests, never for a process.
 */
export type DatabaseActor = DatabaseRole | 'owner'

export interface DatabaseConnection {
  readonly db: Database
  readonly pool: pg.Pool
  /** What each session was asked to be; `refuseOtherSession` compares. */
  readonly session: SessionSettings
  close(): Promise<void>
}

/**
 * Credits and minor units stay far below 2^53, so an int8 is a number; one that does not fit is an error, not
 * a rounding.
 */
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
 * How long a process waits for Postgres, and Postgres for it, before the other one counts as lost.
 * Milliseconds.
 */
export interface SessionLimits {
  /** A statement that takes longer is ended by Postgres. */
  readonly statement_ms: number
  /**
   * So is a transaction in which nothing is asked for so long: the process that holds its locks may be gone.
   */
  readonly idle_in_transaction_ms: number
  /**
   * A connection over which no answer came for so long is given up. More than `statement_ms`, so that only
   * silence gets there.
   */
  readonly silence_ms: number
}

/**
 * Nothing that a request waits for takes half a minute. The worker also makes statements and proofs of a
 * large ledger, and calls Stripe and Clerk in some transactions (decision 160).
 */
const limitsOf: Readonly<Record<DatabaseRole, SessionLimits>> = {
  tidemark_server: { statement_ms: 25_000, idle_in_transaction_ms: 60_000, silence_ms: 30_000 },
  tidemark_worker: { statement_ms: 600_000, idle_in_transaction_ms: 300_000, silence_ms: 630_000 },
}

export interface SessionOptions {
  readonly connectionString: string
  readonly role: DatabaseActor
  /**
   * Whether the process has a live key of Stripe's: rows of the other mode are not used (decision 073). Left
   * out, it has not.
   */
  readonly livemode?: boolean
  /** Whether this process writes down what is to be told by e-mail. Left out, it does. */
  readonly mails?: boolean
  readonly poolMax: number
  readonly onError: (error: Error) => void
  /** Left out, those of the role; the owner has none. */
  readonly limits?: SessionLimits
}

/**
 * Opens a pool whose sessions act as `role`: even a mistake in the process cannot write what the role may
 * not. Connections that Postgres drops (a restart) are replaced, and their errors handed to `onError`.
 */
export function connectDatabase({
  connectionString,
  role,
  livemode,
  mails = true,
  poolMax,
  onError,
  ...given
}: SessionOptions): DatabaseConnection {
  const limits = given.limits ?? (role === 'owner' ? undefined : limitsOf[role])
  const session: SessionSettings = {
    ...(role !== 'owner' && { role }),
    'tidemark.livemode': livemode ? 'on' : 'off',
    'tidemark.mails': mails ? 'on' : 'off',
    ...(limits && {
      statement_timeout: `${limits.statement_ms}ms`,
      idle_in_transaction_session_timeout: `${limits.idle_in_transaction_ms}ms`,
    }),
  }
  const pool = createPool(
    {
      connectionString,
      application_name: role === 'owner' ? 'tidemark_owner' : role,
      session,
      silence_ms: limits?.silence_ms,
      max: poolMax,
      connectionTimeoutMillis: 10_000,
      types,
    },
    onError,
  )
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, session, close: () => db.destroy() }
}

/** Reads several times from one state of the database; in a transaction, from what that sees. */
export function inSnapshot<T>(db: Database, read: (snapshot: DatabaseTransaction) => Promise<T>): Promise<T>
export function inSnapshot<T>(db: ReadDatabase, read: (snapshot: ReadDatabase) => Promise<T>): Promise<T>
export function inSnapshot<T>(
  db: ReadDatabase,
  read: (snapshot: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  // Only the type is narrower: the value is a database or a transaction.
  const whole = db as Database
  if (whole.isTransaction) return read(whole as DatabaseTransaction)
  return whole.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}
