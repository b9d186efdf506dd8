import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { DatabaseRole, DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { DB } from '../../../schema/database/types.ts'

interface Explained {
  readonly 'QUERY PLAN': readonly [
    { readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number } },
  ]
}

/** The first time also reads the catalogue. */
const repetitions = 3

class Undone extends Error {}

/**
 * How many pages (of 8 kB) of tables and indexes Postgres touches for what `work` does, as EXPLAIN (ANALYZE, BUFFERS) says. Each of
 * its statements is explained and undone a few times, and then run; in the end all of it is undone.
 */
export async function pagesTouched(
  database: { readonly url: string; readonly role: DatabaseRole },
  work: (trx: DatabaseTransaction) => Promise<unknown>,
): Promise<number> {
  const client = new pg.Client({ connectionString: database.url, options: `-c role=${database.role}` })
  await client.connect()
  let pages = 0
  const explain = async (text: string, values: unknown[]) => {
    let fewest = Number.POSITIVE_INFINITY
    for (let repetition = 0; repetition < repetitions; repetition++) {
      await client.query('SAVEPOINT explained')
      const { rows } = await client.query<Explained>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      )
      await client.query('ROLLBACK TO SAVEPOINT explained')
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      if (!plan) throw new Error(`Postgres did not explain ${text}`)
      fewest = Math.min(fewest, plan['Shared Hit Blocks'] + plan['Shared Read Blocks'])
    }
    pages += fewest
  }
  const connection = {
    async query(text: string, values: unknown[]) {
      if (/^\s*(select|insert|update|delete|with)\b/i.test(text)) await explain(text, values)
      return client.query(text, values)
    },
    release: () => undefined,
  }
  const pool = { connect: async () => connection, end: () => client.end() } as unknown as pg.Pool
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  try {
    await db.transaction().execute(async (trx) => {
      await work(trx)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  } finally {
    await db.destroy()
  }
  return pages
}
