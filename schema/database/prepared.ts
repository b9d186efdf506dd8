import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import type { DB } from './types.ts'

/**
 * Gives a statement a name, under which Postgres keeps it parsed and planned for each connection. For what is called all the time with
 * the same text: pg refuses another text under a name. The connection must come from `createPool`, which reads the name.
 */
export function prepared<Row>(name: string, statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`/* prepared: ${sql.raw(name)} */ ${statement}`
}

/**
 * The same for a text that has its values as `$1` and so on; it is called with a database and these. For what everybody waits for: nothing is
 * built anew for a call. It names its columns: Postgres refuses to go on with `*` of a table when a migration adds one.
 */
export function preparedText<Row>(
  name: string,
  text: string,
): (db: Kysely<DB>, values: readonly unknown[]) => Promise<Row[]> {
  const marked = `/* prepared: ${name} */ ${text}`
  return async (db, values) => (await db.executeQuery<Row>(CompiledQuery.raw(marked, [...values]))).rows
}

const marked = /^\/\* prepared: (\w+) \*\//

/** Kysely hands texts to the client, never names. */
export function prepareMarkedStatements(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...query: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const [text, values] = args
    const [, name] = (typeof text === 'string' && marked.exec(text)) || []
    return name === undefined ? query(...args) : query({ name, text, values })
  }) as typeof client.query
}
