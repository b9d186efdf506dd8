import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'

/**
 * Gives a statement a name, under which Postgres keeps it parsed and planned for each connection. For what is called all the time with
 * the same text: pg refuses another text under a name. The connection must come from `createPool`, which reads the name.
 */
export function prepared<Row>(name: string, statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`/* prepared: ${sql.raw(name)} */ ${statement}`
}

/**
 * The same for a statement of Kysely's builder: `.modifyEnd(preparedAs(name))`. It names its columns: Postgres refuses to go on with `*`
 * when a migration adds one.
 */
export function preparedAs(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared: ${name} */`)
}

const marked = /^\/\* prepared: (\w+) \*\/|\/\* prepared: (\w+) \*\/$/

/** Kysely hands texts to the client, never names. */
export function prepareMarkedStatements(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...query: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const [text, values] = args
    const [, atFront, atEnd] = (typeof text === 'string' && marked.exec(text)) || []
    const name = atFront ?? atEnd
    return name === undefined ? query(...args) : query({ name, text, values })
  }) as typeof client.query
}
