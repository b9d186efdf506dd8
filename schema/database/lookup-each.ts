import { type RawBuilder, sql } from 'kysely'

/**
 * A look-up by a key for each row of what it is joined with: `LEFT JOIN ${lookupEach(…)} ON true`. Because of
 * `OFFSET 0` Postgres cannot plan it as a join, which would read a whole table where it expects many rows, or
 * once expected them and kept the plan.
 */
export function lookupEach(select: string, alias: string): string
export function lookupEach(select: RawBuilder<unknown>, alias: string): RawBuilder<unknown>
export function lookupEach(select: string | RawBuilder<unknown>, alias: string) {
  if (typeof select === 'string') return `LATERAL (${select} OFFSET 0) ${alias}`
  return sql`LATERAL (${select} OFFSET 0) ${sql.ref(alias)}`
}
