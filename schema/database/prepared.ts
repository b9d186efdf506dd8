import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import type { DB } from './types.ts'

/**
 * Gives a statement a name, under which Postgres keeps it parsed and planned for each connection. For what is
 * called all the time with the same text: pg refuses another text under a name. The connection must come from
 * `createPool`, which reads the name.
 *
 * An array is given as `(SELECT $1::text[])`, whose length Postgres does not see. One that it sees to be
 * short makes a plan for just this call look cheaper than the one it could keep, so it would plan each call
 * anew, which takes longer than most of them. https://www.postgresql.org/docs/current/sql-prepare.html
 * (Notes)
 */
export function prepared<Row>(name: string, statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`/* prepared: ${sql.raw(name)} */ ${statement}`
}

/**
 * The same for a text with `$1` and so on, called with a database and the values. For hot paths: the query is
 * not built anew. It names its columns, because Postgres refuses a prepared `*` after a migration adds one.
 */
export function preparedText<Row>(
  name: string,
  text: string,
): (db: Kysely<DB>, values: readonly unknown[]) => Promise<Row[]> {
  const marked = `/* prepared: ${name} */ ${text}`
  return async (db, values) => (await db.executeQuery<Row>(CompiledQuery.raw(marked, [...values]))).rows
}

const marked = /^\/\* prepared: (\w+) \*\//

/** How many statements a connection was given and has answered; `unanswered` are under way. */
export interface AnswersOf {
  unanswered: number
  answered: number
}

/**
 * Kysely hands texts to the client, never names; and it waits for a promise. Of the promise that pg makes, V8
 * keeps the statement with its values and rows until the whole heap is collected: a tenth of all that an
 * event allocates, which made each small collection longer and the large ones frequent (decision 158). So pg
 * is given a callback. For the same reason answers are counted in it: what waits for one statement would be
 * kept with it.
 */
export function prepareMarkedStatements(client: pg.ClientBase): AnswersOf {
  const answers: AnswersOf = { unanswered: 0, answered: 0 }
  const query = client.query.bind(client) as (...query: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const [text, values] = args
    if (typeof text !== 'string' || args.some((given) => typeof given === 'function')) return query(...args)
    const [, name] = marked.exec(text) ?? []
    const answered = new Promise((resolve, reject) => {
      answers.unanswered += 1
      query({ name, text, values }, (error: unknown, result: unknown) => {
        answers.unanswered -= 1
        answers.answered += 1
        if (error) reject(error)
        else resolve(result)
      })
    })
    return answered.catch((error: Error) => {
      // As pg does: where the statement was called says more than where its answer was read.
      Error.captureStackTrace(error)
      throw error
    })
  }) as typeof client.query
  return answers
}
