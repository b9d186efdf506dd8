import type { RawBuilder, Selectable, SqlBool } from 'kysely'
import type { DB } from '../../database/types.ts'

type ClaimableTable = {
  [Table in keyof DB]: 'next_try_at' extends keyof DB[Table] ? Table : never
}[keyof DB]

/**
 * A table whose rows are tried until they are finished. It has the columns `next_try_at`, `claims`,
 * `attempts`, `last_error` and `unavailable_since`, and an index of `next_try_at` over its unfinished rows.
 * The folder that owns the table says what these are.
 */
export interface Claimable<Table extends ClaimableTable = ClaimableTable> {
  readonly table: Table
  readonly key: readonly string[]
  /** The index's condition, word by word. */
  readonly unfinished: RawBuilder<SqlBool>
}

export type KeyOf<Rows extends Claimable> = Pick<
  Selectable<DB[Rows['table']]>,
  keyof Selectable<DB[Rows['table']]> & Rows['key'][number]
>

/** How the tries of a row went; the columns are the same in every claimable table. */
export interface TryRecord {
  /**
   * Number of the last claim; a failure that was recorded counts as one, so that no try is recorded twice.
   */
  readonly claims: number
  readonly attempts: number
  readonly unavailable_since: Date | null
}

/** What a try that succeeded leaves of those before it. */
export const cleanRecord = { claims: 0, attempts: 0, last_error: null, unavailable_since: null } as const
