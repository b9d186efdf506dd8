import { sql } from 'kysely'
import { beforeAll, beforeEach } from 'vitest'
import { type TestDatabase, testDatabase } from './test-database.ts'

/**
 * A database for the tests of this file or `describe`, which before each of them has the rows that `fill`
 * left. That takes a twentieth of making a database for each.
 */
export function rewoundDatabase(fill: () => unknown = () => undefined): TestDatabase {
  const database = testDatabase()
  let rewind: () => Promise<void>
  beforeAll(async () => {
    await fill()
    rewind = await rememberRows(database)
  })
  beforeEach(() => rewind())
  return database
}

/**
 * Reads all rows, the queues' too, and returns what brings these rows and the sequences back. It leaves alone
 * what the schema became meanwhile, and what processes keep in memory.
 */
async function rememberRows({ owner }: Pick<TestDatabase, 'owner'>): Promise<() => Promise<void>> {
  const { rows: tables } = await sql<{ name: string; columns: string }>`
    SELECT c.oid::regclass::text AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relkind = 'r' AND c.oid >= 16384
    GROUP BY c.oid`.execute(owner)
  const { rows: sequences } = await sql<{ set: string }>`
    SELECT format('setval(%L, %s, %L)', oid::regclass, coalesce(pg_sequence_last_value(oid), seqstart), pg_sequence_last_value(oid) IS NOT NULL) AS set
    FROM pg_class JOIN pg_sequence ON seqrelid = oid`.execute(owner)
  const filled: { name: string; columns: string; lines: string[] }[] = []
  for (const { name, columns } of tables) {
    const { rows } = await sql<{ lines: string[] | null }>`
      SELECT array_agg(t::text) AS lines FROM ${sql.raw(name)} t`.execute(owner)
    const lines = rows[0]?.lines
    if (lines) filled.push({ name, columns, lines })
  }
  const clear = sql.raw(tables.map(({ name }) => `DELETE FROM ${name}`).join(';'))
  const reset = sql.raw(`SELECT ${sequences.map(({ set }) => set).join(', ')}`)
  return () =>
    owner.transaction().execute(async (trx) => {
      await sql`SET LOCAL session_replication_role = replica`.execute(trx)
      await clear.execute(trx)
      for (const { name, columns, lines } of filled) {
        await sql`
          INSERT INTO ${sql.raw(`${name} (${columns})`)} OVERRIDING SYSTEM VALUE
          SELECT ${sql.raw(columns)} FROM (SELECT (line::${sql.raw(name)}).* FROM unnest(${lines}::text[]) line) t`.execute(
          trx,
        )
      }
      await reset.execute(trx)
    })
}
