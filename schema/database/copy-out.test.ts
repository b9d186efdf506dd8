import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { BinaryRows } from './binary-rows.ts'
import { inSharedSnapshot } from './connect.ts'
import { copyOut } from './copy-out.ts'

const database = testDatabase()

function withRows<T>(query: RawBuilder<unknown>, columns: number, read: (rows: BinaryRows) => Promise<T>) {
  return database.owner.transaction().execute((trx) => read(new BinaryRows(copyOut(trx, query), columns)))
}

/** What `read` makes of each row. */
function collect<T>(
  query: RawBuilder<unknown>,
  columns: number,
  read: (rows: BinaryRows) => T,
): Promise<T[]> {
  return withRows(query, columns, async (rows) => {
    const found: T[] = []
    while (await rows.receive()) while (rows.next()) found.push(read(rows))
    return found
  })
}

test('values of all kinds are read as Postgres has them', async () => {
  const query = sql`
    SELECT (-2)::smallint, 70000, -5000000000, 9007199254740991, 'Zoë “x”'::text, ''::text, NULL::text, true, false, '\\x00ff10'::bytea,
      '2026-11-22 10:00:00.000001+00'::timestamptz`
  expect(
    await collect(query, 11, (rows) => [
      ...[0, 1, 2, 3].map((column) => rows.integer(column)),
      ...[4, 5].map((column) => rows.text(column)),
      rows.textOrNull(6),
      rows.integerOrNull(6),
      ...[7, 8].map((column) => rows.boolean(column)),
      rows.hex(9),
      rows.integer(10) + Date.UTC(2000) * 1000,
    ]),
  ).toEqual([
    ...[
      [
        ...[-2, 70_000, -5_000_000_000, Number.MAX_SAFE_INTEGER, 'Zoë “x”', '', null, null, true, false],
        ...['00ff10', Date.UTC(2026, 10, 22, 10) * 1000 + 1],
      ],
    ],
  ])
})

test('a number that does not fit is an error', async () => {
  await expect(collect(sql`SELECT 9007199254740992`, 1, (rows) => rows.integer(0))).rejects.toThrow(
    'does not fit',
  )
})

test('many rows, and rows that are larger than a buffer, come whole and in order', async () => {
  const query = sql`
    SELECT n, repeat('ä', CASE n % 5000 WHEN 0 THEN 1000000 ELSE 7 END) FROM generate_series(1, 20000) AS n ORDER BY n`
  const lengths = await collect(query, 2, (rows) => [rows.integer(0), rows.text(1).length])
  expect(lengths).toEqual(
    Array.from({ length: 20_000 }, (_, index) => [index + 1, (index + 1) % 5000 === 0 ? 1_000_000 : 7]),
  )
})

test('a text that begins or repeats like the one before it is its own', async () => {
  const query = sql`SELECT text FROM unnest(ARRAY['ab', 'ab', 'abc', 'ac', '', 'é', 'é', 'Ã©']) AS text`
  expect(await collect(query, 1, (rows) => rows.text(0))).toEqual([
    ...['ab', 'ab', 'abc', 'ac', '', 'é', 'é', 'Ã©'],
  ])
})

test('no rows are an end at once, and rows can be read twice', async () => {
  expect(await collect(sql`SELECT 1 WHERE false`, 1, (rows) => rows.integer(0))).toEqual([])
  await withRows(sql`SELECT 7`, 1, async (rows) => {
    await rows.receive()
    expect([rows.next(), rows.next()]).toEqual([true, false])
    rows.rewind()
    expect([rows.next(), rows.integer(0)]).toEqual([true, 7])
    await rows.close()
  })
})

test('the connection goes on after somebody who stopped early, and after an error', async () => {
  await database.owner.transaction().execute(async (trx) => {
    const rows = new BinaryRows(copyOut(trx, sql`SELECT n FROM generate_series(1, 1000000) AS n`), 1)
    await rows.receive()
    await rows.close()
    expect((await sql`SELECT 1 AS one`.execute(trx)).rows).toEqual([{ one: 1 }])
  })
  const failing = sql`SELECT 1000 / (1000 - n) FROM generate_series(1, 1000) AS n`
  await expect(collect(failing, 1, (rows) => rows.integer(0))).rejects.toMatchObject({ code: '22012' })
  expect(await collect(sql`SELECT 1`, 1, (rows) => rows.integer(0))).toEqual([1])
})

test('other connections see the same rows in one snapshot, whatever is committed meanwhile', async () => {
  await sql`CREATE TABLE seen (n integer)`.execute(database.owner)
  await inSharedSnapshot(database.owner, 3, async (snapshots) => {
    await sql`INSERT INTO seen VALUES (1)`.execute(database.owner)
    for (const trx of snapshots) expect((await sql`SELECT n FROM seen`.execute(trx)).rows).toEqual([])
  })
  expect((await sql`SELECT n FROM seen`.execute(database.owner)).rows).toEqual([{ n: 1 }])
})
