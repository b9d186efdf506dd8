import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../tests/support/database/test-database.ts'
import {
  buildMonthGrant,
  buildPurchaseGrant,
  buildTransfer,
  use,
  user,
} from '../../tests/support/factories/grants.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { tamper } from '../../tests/support/faults/tamper.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { connectDatabase } from '../database/connect.ts'
import type { Owner } from './accounts.ts'
import { manifestSchema } from './archive/manifest.ts'
import { proveArchive, proveArchives } from './archive/prove.ts'
import { type ArchiveOptions, archiveMonths } from './archive.ts'
import { findArchivedUntil } from './archived.ts'
import { findBalance } from './balances.ts'
import { type Books, closeMonth, readBooks, readGrant } from './books.ts'
import { explainBalance } from './explanation.ts'
import type { Grant } from './grants.ts'
import { listHistory } from './history.ts'
import { checkoutKey } from './keys.ts'
import { makeLedgerMonths } from './months.ts'
import { postTransfer, postTransfers } from './post.ts'
import { postSums, sumUsage } from './sums.ts'
import { spendCredits } from './usage.ts'
import { checkArchives } from './verify/archives.ts'
import { verifyLedger } from './verify.ts'

const september = new Date('2026-09-01T00:00:00Z')
const october = new Date('2026-10-01T00:00:00Z')

const database = madeForEachTest(createTestDatabase, (made) => made.close())
const owner = madeForEachTest(
  () =>
    connectDatabase({ connectionString: database.url, role: 'owner', poolMax: 8, onError: () => undefined }),
  (made) => made.close(),
)
const folder = madeForEachTest(
  async () => ({ path: await mkdtemp(join(tmpdir(), 'archive-')) }),
  (made) => rm(made.path, { recursive: true }),
)

/** Lets the database believe that so many months have passed. */
async function passMonths(count: number): Promise<void> {
  await sql
    .raw(`CREATE OR REPLACE FUNCTION ledger_month_of(moment timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
      SELECT 12 * (date_part('year', moment AT TIME ZONE 'UTC')::bigint - 2000)
        + date_part('month', moment AT TIME ZONE 'UTC')::bigint - 1 + ${count} $$`)
    .execute(database.owner)
  await makeLedgerMonths(database.owner, 1)
}

/** `2025-01`: so many months after the present one. */
async function monthAfter(count: number): Promise<string> {
  const { rows } = await sql<{ month: string }>`
    SELECT to_char(now() AT TIME ZONE 'UTC' + make_interval(months => ${count}), 'YYYY-MM') AS month`.execute(
    database.owner,
  )
  return rows[0]?.month ?? ''
}

/** Archives what was posted before the month number `before`. */
async function archive(before: number, options: Partial<ArchiveOptions> = {}) {
  return archiveMonths(owner, { before: await monthAfter(before), to: folder.path, ...options })
}

const problemsOf = async (options = {}) => (await verifyLedger(database.owner, options)).problems
const booksOf = () => database.worker.transaction().execute((trx) => readBooks(trx, ada))

/** Whose usage is summed by the minute. */
const pool: Owner = { owner_kind: 'organization', owner_id: 'org_pool' }

/** The same report whenever it comes. */
const report = (key: string, credits: number, owner = ada) =>
  spendCredits(database.server, {
    ...owner,
    credits,
    idempotency_key: key,
    occurred_at: new Date('2026-09-03T00:00:00Z'),
    actor: ada.owner_id,
    reason: 'Line\nbreak\tand \\ and \u2028',
  })

let ada: Owner
let books: Books
let bought: Grant
let monthly: Grant

/**
 * Month 0: a settled purchase, a month of a plan, usage. Month 1: usage, the end of the plan's month, the next one, and usage that is summed. Month 2:
 * some usage.
 */
async function fillMonths(): Promise<void> {
  const intent = await buildPurchase(database.server, {
    stripe_session_id: 'cs_1',
    credits: 500,
  })
  await database.owner
    .updateTable('checkout_intents')
    .set({ state: 'settled', settled_at: new Date() })
    .where('id', '=', intent.id)
    .execute()
  ada = user(intent.user_id)
  bought = buildPurchaseGrant(ada, intent.id)
  monthly = buildMonthGrant(ada, september)
  const next = buildMonthGrant(ada, october)
  await passMonths(0)
  await postTransfers(database.worker, [
    buildTransfer(
      bought,
      { kind: 'credit_purchase', ordinal: 1, amount: 500 },
      { idempotency_key: checkoutKey('cs_1'), intent_id: intent.id },
    ),
    buildTransfer(monthly, { kind: 'plan_grant', ordinal: 1, amount: 1000 }),
  ])
  await report('first', 100)
  await passMonths(1)
  await report('second', 30)
  await database.worker.transaction().execute(async (trx) => {
    await postTransfer(trx, buildTransfer(monthly, { kind: 'expiry', ordinal: 2, amount: -870 }))
    await closeMonth(trx, ada, {
      stripe_subscription_id: `sub_${ada.owner_id}`,
      starts_at: september,
      used: 130,
    })
  })
  await postTransfer(database.worker, buildTransfer(next, { kind: 'plan_grant', ordinal: 1, amount: 1000 }))
  await postTransfer(database.worker, buildTransfer(bought, { kind: 'refund', ordinal: 2, amount: -50 }))
  await giveCredits(database, pool, { purchased: 100 })
  await sumUsage(database.worker, pool, true)
  await report('summed', 3, pool)
  await report('summed too', 4, pool)
  await postSums(database.worker, { older_than_ms: 0 })
  await passMonths(2)
  await report('third', 7)
  await passMonths(6)
  books = await booksOf()
}

beforeEach(fillMonths)

describe('months that were archived', () => {
  test('are gone from the database, and nothing that decides notices', async () => {
    const before = { books: await booksOf(), balance: await findBalance(database.server, ada) }
    const result = await archive(2)
    expect(result.finished).toHaveLength(1)
    const { rows } = await sql<{ left: number }>`SELECT count(*) AS left FROM ledger_transfers`.execute(
      database.owner,
    )
    expect(rows).toEqual([{ left: 1 }])
    expect({ books: await booksOf(), balance: await findBalance(database.server, ada) }).toEqual(before)
    expect(await problemsOf()).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])

    // A report comes again, the same and another.
    expect(await report('first', 100)).toMatchObject({ outcome: 'replayed', plan: before.balance.plan })
    await expect(report('first', 101)).rejects.toThrow('another input')
    expect(await report('summed', 3, pool)).toMatchObject({ outcome: 'replayed', purchased: 93 })
    expect(await report('fourth', 3)).toMatchObject({ outcome: 'posted' })
    // A refund of a purchase whose transfers are all archived.
    expect(await readGrant(database.worker, bought.id)).toMatchObject({
      gross: 500,
      refunded: 50,
      transfers: 2,
    })
    await postTransfer(database.worker, buildTransfer(bought, { kind: 'refund', ordinal: 3, amount: -450 }))
    expect(await readGrant(database.worker, bought.id)).toMatchObject({
      gross: 500,
      refunded: 500,
      transfers: 3,
    })
    expect(await problemsOf({ keepProof: true })).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])
    await postTransfer(database.worker, buildTransfer(bought, { kind: 'refund', ordinal: 4, amount: -1 }))
    const tooMuch = {
      check: 'no more is taken back of a grant than it brought',
      subject: `grant ${bought.id}`,
    }
    expect(await problemsOf()).toEqual([tooMuch])
    expect(await problemsOf({ incremental: true })).toEqual([tooMuch])
  })

  test('can be followed by further ones', async () => {
    await archive(1)
    await archive(2)
    await archive(3)
    expect((await readdir(folder.path)).length).toBe(3)
    expect(await problemsOf()).toEqual([])
    await report('fourth', 3)
    expect(await problemsOf({ keepProof: true })).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])
    expect((await archive(3)).finished).toEqual([])
  })

  test('end the history, and explanations begin with what they came to', async () => {
    expect(await findArchivedUntil(database.server, ada)).toBeNull()
    const whole = await explainBalance(database.server, ada, { limit: 100 })
    await archive(2)
    const page = await listHistory(database.server, ada, { limit: 10 })
    expect(page.entries.map(({ amount }) => amount)).toEqual([-7])
    expect(await explainBalance(database.server, ada, { limit: 100 })).toEqual({
      ...whole,
      changes: whole.changes.slice(0, 1),
      // Nothing was used of the purchased credits since: their balance is that of the opening.
      opening: { plan: 1000, purchased: 450 },
    })
    expect((await findArchivedUntil(database.server, ada))?.toISOString().slice(0, 7)).toBe(
      await monthAfter(2),
    )
    expect(await findArchivedUntil(database.server, user('user_new'))).toBeNull()
  })
})

describe('what is kept of them', () => {
  const changes = [
    ['UPDATE ledger_openings SET balance = balance + 1', 'the openings are the end of the last archive'],
    ["UPDATE ledger_openings SET hash = sha256('')", 'the openings are the end of the last archive'],
    ['UPDATE ledger_openings SET used = used + 1', 'what is kept of an archive is what was written down'],
    ['DELETE FROM ledger_openings', 'the openings are the end of the last archive'],
    [
      'UPDATE ledger_archived_sums SET gross = gross + 1',
      'what is kept of an archive is what was written down',
    ],
    ['DELETE FROM ledger_archived_sums', 'what is kept of an archive is what was written down'],
    [
      "DELETE FROM ledger_keys WHERE idempotency_key LIKE '%first'",
      'the keys of archived transfers are all there',
    ],
    [
      'UPDATE ledger_archives SET first_transfer_id = 1',
      'every archive goes on where the one before it ended',
    ],
  ] as const

  test('is proven with the books', async () => {
    await archive(2)
    for (const [change, check] of changes) expect(await problemsAfter(change), change).toContain(check)
    expect(await problemsOf()).toEqual([])
    await tamper(database, changes[0][0])
    expect((await problemsOf()).map((problem) => problem.check)).toContain(changes[0][1])
  })

  /** The checks that find a change, which is undone. */
  async function problemsAfter(change: string): Promise<string[]> {
    const found: string[] = []
    const trx = await database.owner.startTransaction().execute()
    await sql.raw(`SET LOCAL session_replication_role = replica; ${change}`).execute(trx)
    await checkArchives(trx, (check) => found.push(check))
    await trx.rollback().execute()
    return found
  }
})

test('months that are still shown, or that somebody may still need, are refused', async () => {
  await expect(archive(4)).rejects.toThrow('the last ones are still shown')
  await sql`INSERT INTO statement_days (date, livemode, read_at) VALUES ((now() - interval '10 months')::date, false, now())`.execute(
    database.owner,
  )
  await expect(archive(2)).rejects.toThrow('is not closed yet')
  expect(await readdir(folder.path)).toEqual([])
})

test('a month in which a sum of usage is still open is refused, until it is posted', async () => {
  await passMonths(2)
  await report('open', 1, pool)
  await passMonths(6)
  await expect(archive(3)).rejects.toThrow('Somebody may still be posting')
  expect((await archive(2)).finished).toHaveLength(1)
  await postSums(database.worker, { older_than_ms: 0 })
  expect((await archive(3)).finished).toHaveLength(1)
  expect(await problemsOf()).toEqual([])
})

test('a month of a transfer by hand that nobody has explained is refused, until somebody has', async () => {
  const { rows } = await sql<{ id: number }>`
    SELECT t.id FROM ledger_transfers t JOIN ledger_grants g ON g.owner_id = t.owner_id AND g.id = t.grant_id
    WHERE g.kind = 'adjustment'`.execute(database.owner)
  const id = rows[0]?.id
  const found = {
    kind: 'adjustment_unexplained',
    sentence: '',
    they_say: '',
    we_have: '',
    advice: '',
    livemode: false,
  }
  const seen = { first_seen_at: new Date(), last_seen_at: new Date() }
  await database.owner
    .insertInto('reconciliation_findings')
    .values([
      { ...found, ...seen, id: randomUUID(), object_id: String(id) },
      { ...found, ...seen, id: randomUUID(), object_id: String(2 ** 52) },
      { ...found, ...seen, id: randomUUID(), kind: 'payment_missing', object_id: 'ch_1' },
    ])
    .execute()
  await expect(archive(2)).rejects.toThrow(`Nobody has explained transfer ${id} yet`)
  await database.owner
    .updateTable('reconciliation_findings')
    .set({ gone_at: new Date() })
    .where('object_id', '=', String(id))
    .execute()
  expect((await archive(2)).finished).toHaveLength(1)
})

test('books that are not right are not archived', async () => {
  await tamper(database, 'UPDATE ledger_entries SET amount = amount + 1')
  await expect(archive(2)).rejects.toThrow('The books are not right')
})

describe('an archive that is interrupted', () => {
  /** What the command does in these months, in order. */
  const steps = [
    'proven',
    'closed',
    'written',
    'detached ledger_reports of early',
    'detached ledger_entries of early',
    'detached ledger_transfers of early',
    'detached ledger_reports of first',
    'detached ledger_entries of first',
    'detached ledger_transfers of first',
    'detached',
    'proven from its files',
    'dropped ledger_reports of early',
    'dropped ledger_entries of early',
    'dropped ledger_transfers of early',
    'dropped ledger_reports of first',
    'dropped ledger_entries of first',
    'dropped ledger_transfers of first',
    'finished',
  ]

  test('after any step goes on when it is called again', async () => {
    const names = new Map([[`${await monthAfter(0)}`.replace('-', '_'), 'first']])
    const nameOf = (step: string) =>
      step
        .replace(/(\w+)_(\d{4}_\d\d|early)$/, '$1 of $2')
        .replace(/\d{4}_\d\d$/, (month) => names.get(month) ?? month)
    const seen: string[] = []
    for (let calls = 0; calls < 50; calls++) {
      let isInterrupted = false
      await archive(1, {
        onStep: (step) => {
          const name = nameOf(step)
          if (seen.includes(name)) return
          seen.push(name)
          isInterrupted = true
          throw new Error('interrupted')
        },
      }).catch((error: Error) => {
        if (error.message !== 'interrupted') throw error
      })
      // Whatever was done, the books go on.
      expect(await problemsOf(), seen.at(-1)).toEqual([])
      expect(await booksOf(), seen.at(-1)).toEqual(books)
      if (!isInterrupted) break
    }
    expect(seen).toEqual(steps)
    expect((await proveArchives(folder.path)).problems).toEqual([])
    const { rows } = await sql<{ state: string }>`SELECT state FROM ledger_archives`.execute(database.owner)
    expect(rows).toEqual([{ state: 'finished' }])
  })

  test('in the middle of detaching a month is finished', async () => {
    const reader = await database.server.startTransaction().setIsolationLevel('repeatable read').execute()
    await listHistory(reader, ada, { limit: 1 })
    const detaching = archive(2)
    const cancel = async () => {
      const { rows } = await sql<{ is_pending: boolean }>`
        SELECT bool_or(inhdetachpending) AS is_pending FROM pg_inherits`.execute(database.owner)
      if (!rows[0]?.is_pending) return false
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'ALTER TABLE%DETACH%' AND pid <> pg_backend_pid()`.execute(
        database.owner,
      )
      return true
    }
    await Promise.all([
      expect(detaching).rejects.toThrow(),
      waitUntil(cancel, 'a month that is being detached'),
    ])
    expect(await report('meanwhile', 1)).toMatchObject({ outcome: 'posted' })
    await reader.rollback().execute()
    expect((await archive(2)).finished).toHaveLength(1)
    expect(await problemsOf()).toEqual([])
  })

  test('whose files are gone is written again, as long as its tables are there', async () => {
    await archive(2, { onStep: stopAt('detached') }).catch(() => undefined)
    await rm(folder.path, { recursive: true })
    await archive(2)
    expect((await proveArchives(folder.path)).problems).toEqual([])
  })

  test('whose files are not right drops nothing', async () => {
    await archive(2, { onStep: stopAt('detached') }).catch(() => undefined)
    const [file] = await filesOf('ledger_entries')
    await flipByte(file ?? '')
    await expect(archive(2)).rejects.toThrow('is not right')
    const { rows } = await sql`SELECT FROM pg_class WHERE relname = 'ledger_entries_early'`.execute(
      database.owner,
    )
    expect(rows).toHaveLength(1)
  })

  test('keeps the detached tables on request', async () => {
    await archive(1, { keepTables: true })
    const { rows } = await sql`SELECT FROM ledger_entries_early`.execute(database.owner)
    expect(rows).toEqual([])
    expect(await problemsOf()).toEqual([])
    expect((await archive(2)).finished).toHaveLength(1)
  })
})

function stopAt(last: string) {
  return (step: string) => {
    if (step === last) throw new Error('interrupted')
  }
}

test('who posts, spends and reads meanwhile is answered, and nobody’s credits change', async () => {
  const others = Array.from({ length: 4 }, (_, index) => user(`user_other_${index}`))
  await Promise.all(others.map((other) => giveCredits(database, other, { purchased: 1000 })))
  let isOver = false
  let done = 0
  const traffic = [ada, ...others].map(async (who) => {
    while (!isOver) {
      expect(await use(database.server, who, 1)).toMatchObject({ outcome: 'posted' })
      await giveCredits(database, who, { purchased: 1 })
      await findBalance(database.server, who)
      await listHistory(database.server, who, { limit: 5 })
      await database.worker.transaction().execute((trx) => readBooks(trx, who))
      done++
    }
  })
  // Each step waits until everybody has done something after the one before it.
  const counts: number[] = []
  const onStep = async () => {
    const before = done
    await waitUntil(() => done >= before + traffic.length, 'somebody who is held up')
    counts.push(done - before)
  }
  await archive(2, { onStep }).finally(() => {
    isOver = true
  })
  await Promise.all(traffic)
  expect(counts.length).toBeGreaterThan(10)
  expect(await problemsOf({ keepProof: true })).toEqual([])
  for (const other of others) expect((await findBalance(database.server, other)).total).toBe(1000)
})

describe('an archive', () => {
  beforeEach(async () => {
    await archive(1)
    await archive(2)
  })
  const problemsOfFiles = async (expected?: string) =>
    (await proveArchives(folder.path, expected ? { expected } : {})).problems

  test('is proven from its files alone', async () => {
    const proof = await proveArchives(folder.path)
    expect(proof.problems).toEqual([])
    expect(proof.archives.map(({ transfers, entries }) => ({ transfers, entries }))).toEqual([
      { transfers: 3, entries: 6 },
      { transfers: 6, entries: 12 },
    ])
    const { rows } = await sql<{ digest: string }>`
      SELECT encode(manifest_digest, 'hex') AS digest FROM ledger_archives ORDER BY id DESC LIMIT 1`.execute(
      database.owner,
    )
    expect(rows).toEqual([{ digest: proof.manifest_sha256 }])
    expect(await problemsOfFiles(proof.manifest_sha256 ?? '')).toEqual([])
  })

  test('of which one byte of any file was changed is found', async () => {
    for (const file of await filesOf('')) {
      const content = await readFile(file)
      await flipByte(file)
      expect(await problemsOfFiles(), file).not.toEqual([])
      await writeFile(file, content)
    }
    expect(await problemsOfFiles()).toEqual([])
  })

  const forgeries: readonly [string, (lines: string[]) => string[], RegExp][] = [
    ['a row is missing', (lines) => lines.slice(1), /rows|sum to zero|no transfer|other reports/],
    [
      'rows have changed places',
      (lines) => lines.toReversed(),
      /where it belongs|does not follow|no transfer|other reports/,
    ],
    [
      'a reason is another one',
      (lines) => lines.map((line) => line.replace('Line', 'Lime')),
      /another hash|other reports/,
    ],
    ['an amount is another one', (lines) => lines.map((line) => line.replace('\t-30\t', '\t-29\t')), /sum/],
    [
      'a row was added',
      (lines) => [...lines, lines.at(-1) ?? ''],
      /cannot be read|where it belongs|does not follow|sum|other reports/,
    ],
  ]
  test.each(forgeries)(
    'in which %s is found, though digests and counts were made anew',
    async (_, forge, expected) => {
      let changed = 0
      for (const table of ['ledger_transfers', 'ledger_entries', 'ledger_reports']) {
        for (const file of await filesOf(table)) {
          const before = await readFile(file)
          const after = gzipSync(
            forge(gunzipSync(before).toString().split('\n').slice(0, -1))
              .map((line) => `${line}\n`)
              .join(''),
          )
          if (gunzipSync(after).equals(gunzipSync(before))) continue
          changed++
          await writeFile(file, after)
          await renewManifest(dirname(file))
          expect((await proveArchive(dirname(file))).problems.join('\n')).toMatch(expected)
          await writeFile(file, before)
          await renewManifest(dirname(file))
        }
      }
      expect(changed).toBeGreaterThan(0)
    },
  )

  test('whose files were swapped with another month’s is found', async () => {
    const [first, second] = (await filesOf('ledger_entries')).filter(
      (file) => !basename(file).includes('early'),
    )
    if (!first || !second) throw new Error('There are not two months')
    const content = await readFile(first)
    await writeFile(first, await readFile(second))
    await writeFile(second, content)
    expect(await problemsOfFiles()).not.toEqual([])
  })

  test('whose manifest was forged is found, also when all of it agrees', async () => {
    const noted = (await proveArchives(folder.path)).manifest_sha256 ?? ''
    const [first, second] = await manifests()
    if (!first || !second) throw new Error('There are not two archives')
    const content = await readFile(first, 'utf8')
    for (const field of ['heads_digest', 'heads_digest_before', 'kept_digest', 'previous_manifest_sha256']) {
      await writeFile(
        first,
        content.replace(new RegExp(`"${field}": .*,`), `"${field}": "${'0'.repeat(64)}",`),
      )
      expect(await problemsOfFiles(), field).not.toEqual([])
    }
    await writeFile(first, content.replace(/"closed_at": "\d{4}/, '"closed_at": "1999'))
    expect(await problemsOfFiles()).toEqual([expect.stringContaining('It names another manifest before it')])
    await writeFile(first, content)
    await writeFile(
      second,
      (await readFile(second, 'utf8')).replace(/"closed_at": "\d{4}/, '"closed_at": "1999'),
    )
    expect(await problemsOfFiles()).toEqual([])
    expect(await problemsOfFiles(noted)).toEqual([expect.stringContaining('not the one that was expected')])
  })

  test('that is missing between two others, or without a manifest, is found', async () => {
    await archive(3)
    const [, second] = await manifests()
    await rm(second ?? '')
    expect(await problemsOfFiles()).toContainEqual(expect.stringContaining('no readable manifest'))
    await rm(dirname(second ?? ''), { recursive: true })
    expect(await problemsOfFiles()).toContainEqual(expect.stringContaining('does not begin where'))
  })
})

/** Of all archives, in their order. */
async function filesOf(table: string): Promise<string[]> {
  const names = await readdir(folder.path, { recursive: true })
  return names
    .filter((name) => name.endsWith('.copy.gz') && basename(name).startsWith(table))
    .sort()
    .map((name) => join(folder.path, name))
}

async function manifests(): Promise<string[]> {
  return (await readdir(folder.path)).sort().map((name) => join(folder.path, name, 'manifest.json'))
}

async function flipByte(file: string): Promise<void> {
  const content = await readFile(file)
  const middle = Math.floor(content.length / 2)
  content[middle] = (content[middle] ?? 0) ^ 1
  await writeFile(file, content)
}

/** Names the files as they are now, as a forger would. */
async function renewManifest(archiveFolder: string): Promise<void> {
  const path = join(archiveFolder, 'manifest.json')
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  for (const file of manifest.files) {
    const content = await readFile(join(archiveFolder, file.name))
    file.bytes = content.length
    file.sha256 = createHash('sha256').update(content).digest('hex')
    file.rows = gunzipSync(content).toString().split('\n').length - 1
  }
  await writeFile(path, JSON.stringify(manifest))
}
