import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { use, user } from '../../../tests/support/factories/grants.ts'
import { giveCredits } from '../../../tests/support/factories/transfers.ts'
import { tamper } from '../../../tests/support/faults/tamper.ts'
import { flipByte, monthsToArchive } from '../../../tests/support/months-to-archive.ts'
import { waitUntil } from '../../../tests/support/wait-until.ts'
import { endOfMonth, firstIdOf } from '../months.ts'
import { readBooks } from '../post/books.ts'
import { eraseTransferTexts } from '../post/erase-texts.ts'
import { findArchivedUntil } from '../read/archived.ts'
import { findBalance } from '../read/balances.ts'
import { explainBalance } from '../read/explanation.ts'
import { type SpendOutcome, type SpendRequest, spendCredits } from '../spend/usage.ts'
import { checkArchives } from '../verify/archives.ts'
import { verifyLedger } from '../verify/verify.ts'
import { proveArchives } from './prove.ts'

vi.setConfig({ testTimeout: 5 * 60_000 })
const { database, folder, filled, pool, passMonths, monthAfter, report, archive, filesOf } = monthsToArchive()

const problemsOf = async (options = {}) => (await verifyLedger(database.owner, options)).problems
const booksOf = () => database.worker.transaction().execute((trx) => readBooks(trx, filled.ada))

describe('months that were archived', () => {
  test('archived months leave failures, holds and sums of usage, and their files have no labels', async () => {
    const asked = { ...filled.ada, actor: 'user_editor', occurred_at: new Date('2026-10-03T12:00:00Z') }
    const labels = { token_id: randomUUID(), model: 'a model', project: 'a project', run: 'a run' }
    const reported = (idempotency_key: string, credits: number) =>
      ({ ...asked, ...labels, credits, idempotency_key, reason: 'Chat' }) as const
    const failed = { ...reported('failed', 0), failure: 'timeout' } as const
    const reserved = (key: string) => ({ ...reported(key, 20), action: 'reserve', lasting_s: 3600 }) as const
    const ask = (...requests: SpendRequest[]) => spendCredits(database.server, requests)
    const [, , settled, open] = await ask(reported('used', 5), failed, reserved('settled'), reserved('open'))
    const settlement = (of: SpendOutcome | undefined, credits: number) =>
      ({ ...asked, action: 'settle', hold_id: of?.hold?.id ?? '', credits }) as const
    await ask(settlement(settled, 30), settlement((await ask(reserved('also failed')))[0], 0))
    await passMonths(12)
    expect((await archive(8)).finished).toHaveLength(1)

    const texts = await Promise.all((await filesOf('ledger_transfers')).map((file) => readFile(file)))
    const text = texts.map((file) => gunzipSync(file).toString()).join('\n')
    expect(text).toContain(labels.token_id)
    for (const label of [labels.model, labels.project, labels.run]) expect(text).not.toContain(label)
    expect((await proveArchives(folder.path)).problems).toEqual([])
    expect(await problemsOf({ keepProof: true })).toEqual([])

    // The day goes on, of which a part is archived.
    const [again, failedAgain, settledAgain, late] = await ask(
      reported('used', 5),
      failed,
      settlement(settled, 30),
      settlement(open, 25),
    )
    expect([again, failedAgain, settledAgain].map((one) => one?.outcome)).toEqual(Array(3).fill('replayed'))
    expect(late).toMatchObject({ outcome: 'posted', charged: 25, held: 0 })
    expect(await problemsOf()).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])
    await tamper(database, `UPDATE ledger_usage_days SET credits = 24 WHERE token_id = '${labels.token_id}'`)
    expect(await problemsOf()).toMatchObject([{ check: 'the sums of a day are what was posted' }])
    await tamper(database, `UPDATE ledger_usage_days SET credits = 60 WHERE token_id = '${labels.token_id}'`)
    await tamper(database, `UPDATE ledger_holds SET charged = 29 WHERE charged = 30`)
    expect(await problemsOf()).toMatchObject([{ check: 'every hold was charged what was posted for it' }])
  })

  test('months that were archived can be followed by further ones', async () => {
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

  test('months that were archived end the history, and explanations begin with what they came to', async () => {
    expect(await findArchivedUntil(database.server, filled.ada)).toBeNull()
    const whole = await explainBalance(database.server, filled.ada, { limit: 100 })
    await archive(2)
    expect(await explainBalance(database.server, filled.ada, { limit: 100 })).toEqual({
      ...whole,
      changes: whole.changes.slice(0, 1),
      // Nothing was used of the purchased credits since: their balance is that of the opening.
      opening: { plan: 1000, purchased: 450 },
    })
    expect((await findArchivedUntil(database.server, filled.ada))?.toISOString().slice(0, 7)).toBe(
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
      'DELETE FROM ledger_keys WHERE transfer_id = (SELECT min(transfer_id) FROM ledger_keys)',
      'the keys of archived transfers are all there',
    ],
    [
      'UPDATE ledger_archives SET first_transfer_id = 1',
      'every archive goes on where the one before it ended',
    ],
  ] as const

  test('what is kept of them is proven with the books', async () => {
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

test('months that are still shown, or that may still be needed, are refused', async () => {
  await expect(archive(4)).rejects.toThrow('the last ones are still shown')
  await sql`INSERT INTO statement_days (date, livemode, read_at) VALUES ((now() - interval '10 months')::date, false, now())`.execute(
    database.owner,
  )
  await expect(archive(2)).rejects.toThrow('is not closed yet')
  expect(await readdir(folder.path)).toEqual([])
})

test('a month with a transfer by hand is refused until that is explained', async () => {
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
  await expect(archive(2)).rejects.toThrow(`Transfer ${id} was posted by hand and is not explained yet`)
  await database.owner
    .updateTable('reconciliation_findings')
    .set({ gone_at: new Date() })
    .where('object_id', '=', String(id))
    .execute()
  expect((await archive(2)).finished).toHaveLength(1)
})

test('a month has the same ids in an archive as in the database', async () => {
  const { rows } = await sql<{ first: number; end: number }>`
    SELECT ledger_first_id(300) AS first, ledger_first_id(301) AS end`.execute(database.owner)
  expect(rows).toEqual([{ first: firstIdOf('2025_01'), end: endOfMonth('2025_01') }])
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
    'detached ledger_entries of first',
    'detached ledger_transfers of first',
    'detached',
    'proven from its files',
    'dropped ledger_entries of first',
    'dropped ledger_transfers of first',
    'finished',
  ]

  test('an archive that stopped after any step goes on when it is called again', async () => {
    const names = new Map([[`${await monthAfter(0)}`.replace('-', '_'), 'first']])
    const nameOf = (step: string) =>
      step
        .replace(/(\w+)_(\d{4}_\d\d)$/, '$1 of $2')
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
      expect(await booksOf(), seen.at(-1)).toEqual(filled.books)
      if (!isInterrupted) break
    }
    expect(seen).toEqual(steps)
    expect((await proveArchives(folder.path)).problems).toEqual([])
    const { rows } = await sql<{ state: string }>`SELECT state FROM ledger_archives`.execute(database.owner)
    expect(rows).toEqual([{ state: 'finished' }])
  })

  test('a month whose detaching was interrupted is finished', async () => {
    const reader = await database.server.startTransaction().setIsolationLevel('repeatable read').execute()
    await explainBalance(reader, filled.ada, { limit: 1 })
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

  test('an interrupted archive whose files are gone is written again, as long as its tables are there', async () => {
    await archive(2, { onStep: stopAt('detached') }).catch(() => undefined)
    await rm(folder.path, { recursive: true })
    await archive(2)
    expect((await proveArchives(folder.path)).problems).toEqual([])
  })

  test('an interrupted archive whose files are not right drops nothing', async () => {
    await archive(2, { onStep: stopAt('detached') }).catch(() => undefined)
    const [file] = await filesOf('ledger_entries')
    await flipByte(file ?? '')
    await expect(archive(2)).rejects.toThrow('is not right')
    expect(await readTable(await firstEntries())).toHaveLength(6)
  })

  test('an archive that is interrupted keeps the detached tables on request', async () => {
    await archive(1, { keepTables: true })
    expect(await readTable(await firstEntries())).toHaveLength(6)
    expect(await problemsOf()).toEqual([])
    expect((await archive(2)).finished).toHaveLength(1)
  })

  test('a detached table that was kept loses the texts about a person who is erased, and the archive proves all the same', async () => {
    await archive(1, { keepTables: true })
    const transfers = (await firstEntries()).replace('entries', 'transfers')
    const texts = async () => {
      const { rows } = await sql<Record<string, unknown>>`
        SELECT reason, reason_salt, model, project, run FROM ${sql.table(transfers)} WHERE kind = 'usage'`.execute(
        database.owner,
      )
      return rows.flatMap((row) => Object.values(row)).filter((value) => value !== null)
    }
    expect(await texts()).toHaveLength(5)
    const person = { user_id: 'user_editor', organizations: [filled.ada.owner_id, pool.owner_id], names: [] }
    expect(await database.worker.transaction().execute((trx) => eraseTransferTexts(trx, person))).toBe(5)
    expect(await texts()).toEqual([])
    expect((await proveArchives(folder.path)).problems).toEqual([])
    expect(await problemsOf()).toEqual([])
    await archive(2)
    expect((await proveArchives(folder.path)).problems).toEqual([])
    expect(await problemsOf()).toEqual([])
  })
})

/** The entries of month 0, in a table of their own. */
async function firstEntries(): Promise<string> {
  return `ledger_entries_${(await monthAfter(0)).replace('-', '_')}`
}

async function readTable(name: string): Promise<unknown[]> {
  return (await sql`SELECT FROM ${sql.table(name)}`.execute(database.owner)).rows
}

function stopAt(last: string) {
  return (step: string) => {
    if (step === last) throw new Error('interrupted')
  }
}

test('posting, spending and reading go on while months are archived, and no credits change', async () => {
  const others = Array.from({ length: 4 }, (_, index) => user(`user_other_${index}`))
  await Promise.all(others.map((other) => giveCredits(database, other, { purchased: 1000 })))
  let isOver = false
  let done = 0
  const traffic = [filled.ada, ...others].map(async (who) => {
    while (!isOver) {
      expect(await use(database.server, who, 1)).toMatchObject({ outcome: 'posted' })
      await giveCredits(database, who, { purchased: 1 })
      await findBalance(database.server, who)
      await explainBalance(database.server, who, { limit: 5 })
      await database.worker.transaction().execute((trx) => readBooks(trx, who))
      done++
    }
  })
  // Each step waits until everybody has done something after the one before it.
  const counts: number[] = []
  const onStep = async () => {
    const before = done
    await waitUntil(() => done >= before + traffic.length, 'a session that is held up')
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
