import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { buildTransfer } from '../../../tests/support/factories/grants.ts'
import { postTransfer } from '../../../tests/support/factories/transfers.ts'
import { monthsToArchive } from '../../../tests/support/months-to-archive.ts'
import { readBooks, readPurchaseGrant } from '../post/books.ts'
import { findBalance } from '../read/balances.ts'
import { verifyLedger } from '../verify/verify.ts'
import { proveArchives } from './prove.ts'

const { database, folder, filled, pool, report, archive, filesOf } = monthsToArchive()

const problemsOf = async (options = {}) => (await verifyLedger(database.owner, options)).problems
const booksOf = () => database.worker.transaction().execute((trx) => readBooks(trx, filled.ada))

describe('months that were archived', () => {
  test('months that were archived are gone from the database, and nothing that decides notices', async () => {
    const before = { books: await booksOf(), balance: await findBalance(database.server, filled.ada) }
    const result = await archive(2)
    expect(result.finished).toHaveLength(1)
    const { rows } = await sql<{ left: number }>`SELECT count(*) AS left FROM ledger_transfers`.execute(
      database.owner,
    )
    expect(rows).toEqual([{ left: 1 }])
    expect({ books: await booksOf(), balance: await findBalance(database.server, filled.ada) }).toEqual(
      before,
    )
    expect(await problemsOf()).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])

    // A report comes again, the same and another.
    expect(await report('first', 100)).toMatchObject({ outcome: 'replayed', plan: before.balance.plan })
    await expect(report('first', 101)).rejects.toThrow('another input')
    expect(await report('pooled', 3, pool)).toMatchObject({ outcome: 'replayed', purchased: 93 })
    expect(await report('fourth', 3)).toMatchObject({ outcome: 'posted' })
    // A refund of a purchase whose transfers are all archived.
    expect(await readPurchaseGrant(database.worker, filled.bought.intent_id ?? '')).toMatchObject({
      gross: 500,
      refunded: 50,
      transfers: 2,
    })
    await postTransfer(
      database.worker,
      buildTransfer(filled.bought, { kind: 'refund', ordinal: 3, amount: -450 }),
    )
    expect(await readPurchaseGrant(database.worker, filled.bought.intent_id ?? '')).toMatchObject({
      gross: 500,
      refunded: 500,
      transfers: 3,
    })
    expect(await problemsOf({ keepProof: true })).toEqual([])
    expect(await problemsOf({ incremental: true })).toEqual([])
    await postTransfer(
      database.worker,
      buildTransfer(filled.bought, { kind: 'refund', ordinal: 4, amount: -1 }),
    )
    const tooMuch = {
      check: 'no more is taken back of a grant than it brought',
      subject: `grant ${filled.bought.id}`,
    }
    expect(await problemsOf()).toEqual([tooMuch])
    expect(await problemsOf({ incremental: true })).toEqual([tooMuch])
  })

  test('the files of archived months have no free text and no salt, and prove all the same', async () => {
    const { rows } = await sql<{ reason: string; salt: string }>`
      SELECT reason, encode(reason_salt, 'hex') AS salt FROM ledger_transfers`.execute(database.owner)
    await archive(2)
    const files = await Promise.all((await filesOf('ledger_')).map((file) => readFile(file)))
    const text = files.map((file) => gunzipSync(file).toString()).join('\n')
    expect(text).toContain(filled.bought.id)
    for (const { reason, salt } of rows) {
      expect(text).not.toContain(salt)
      // As COPY writes it; the reports' reason has a line break.
      expect(text).not.toContain(reason.split('\n')[0])
    }
    expect((await proveArchives(folder.path)).problems).toEqual([])
  })
})
