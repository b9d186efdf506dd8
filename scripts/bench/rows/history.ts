import type { Database } from '../../../schema/database/connect.ts'
import { explainBalance } from '../../../schema/ledger/read/explanation.ts'
import { connectProduct } from '../database-load.ts'
import { fillLedger } from '../fill.ts'
import type { Bench, Line, Row } from '../row.ts'
import { takeTurns } from '../turns.ts'

export const history: Row = {
  name: 'history',
  about: 'Pages of an account with 1,000,000 entries, beside those of one with 1,000',
  measure,
}

const entries = { long: 1_000_000, short: 1000 }
const pageLength = 50

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const { databaseUrl } = await bench.machine.createPlace('postgres')
  for (const [prefix, transfersEach] of Object.entries(entries)) {
    await fillLedger(databaseUrl, { owners: 1, transfersEach, prefix })
  }
  const { db, close } = connectProduct(databaseUrl, 'tidemark_server')
  running.defer(close)

  const deepOf = async (name: keyof typeof entries) => middleOf(db, name)
  const [long, short] = [await deepOf('long'), await deepOf('short')]
  const figures = await takeTurns(bench, {
    firstLong: (seconds) => readPages(db, { name: 'long', seconds }),
    firstShort: (seconds) => readPages(db, { name: 'short', seconds }),
    deepLong: (seconds) => readPages(db, { name: 'long', seconds, before: long }),
    deepShort: (seconds) => readPages(db, { name: 'short', seconds, before: short }),
  })
  const line = { row: 'history', unit: 'ms', target: { at_most: 1.2 } }
  return [
    { ...line, what: 'first page', measured: figures.firstLong, floor: figures.firstShort },
    { ...line, what: 'deep page', measured: figures.deepLong, floor: figures.deepShort },
  ]
}

const ownerOf = (name: keyof typeof entries) => ({ owner_kind: 'user', owner_id: `${name}0` }) as const

/** Milliseconds that one page takes, one after the other. */
async function readPages(
  db: Database,
  page: { name: keyof typeof entries; seconds: number; before?: number },
): Promise<number> {
  const started = performance.now()
  const { before, name } = page
  let pages = 0
  while (performance.now() < started + page.seconds * 1000) {
    const { changes } = await explainBalance(db, ownerOf(name), { limit: pageLength, before })
    if (changes.length !== pageLength) throw new Error(`A page of ${changes.length}`)
    pages += 1
  }
  return (performance.now() - started) / pages
}

/** The transfer in the middle of an account. */
async function middleOf(db: Database, name: keyof typeof entries): Promise<number> {
  const { transfer_id } = await db
    .selectFrom('ledger_entries')
    .innerJoin('ledger_accounts', 'ledger_accounts.id', 'ledger_entries.account_id')
    .select('transfer_id')
    .where('ledger_entries.owner_id', '=', ownerOf(name).owner_id)
    .where('version', '=', entries[name] / 2)
    .executeTakeFirstOrThrow()
  return transfer_id
}
