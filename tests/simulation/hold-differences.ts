import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { readOwnerBalanceSheet } from '../../schema/billing/position/read-owner.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { type Life, openHolds } from './model.ts'
import { sumsOf } from './model-holds.ts'
import type { Owner } from './owner.ts'
import { editorName } from './owner-holds.ts'
import { payerOf } from './owner-ledger.ts'

/** What is wrong with the owner's holds, and with the sums of usage. */
export async function holdDifferences(product: FaultyProduct, owner: Owner, life: Life): Promise<string[]> {
  const payer = payerOf(owner)
  if (!payer) return []
  const now = product.clock.now()
  const seconds = now.getTime() / 1000
  const rows = await product.database.owner
    .selectFrom('ledger_holds')
    .select(['id', 'outlives_month'])
    .where('owner_id', '=', payer)
    .where((hold) => hold.or([hold('state', '=', 'open'), hold('outlives_month', '=', true)]))
    .execute()
  const found = rows.map(({ id, outlives_month }) => `${id} ${outlives_month}`)
  const expected = openHolds(life, seconds).map(({ id, outlives }) => `${id} ${outlives !== null}`)
  const { difference } = await product.database.owner
    .transaction()
    .execute((trx) => readOwnerBalanceSheet(trx, payer, now))
  const sums = sumsOf(owner.reports)
  const foundSums = await readSums(product, owner, payer)
  return [
    ...(isDeepStrictEqual(expected.toSorted(), found.toSorted())
      ? []
      : [`holds: expected ${expected}, found ${found}`]),
    ...(isDeepStrictEqual(sums, foundSums) ? [] : [`usage: expected ${sums}, found ${foundSums}`]),
    ...difference.transfers.map(
      ({ grant, component, credits }) => `not posted: ${component} ${credits} of ${grant.id}`,
    ),
  ]
}

async function readSums({ database }: FaultyProduct, owner: Owner, payer: string): Promise<string[]> {
  const { rows } = await sql<
    Record<'day' | 'model', string> &
      Record<'requests' | 'failed' | 'credits', number> & { token_id: string | null }
  >`
    SELECT day::text, token_id, model, requests, failed, credits FROM ledger_usage_days
    WHERE owner_id = ${payer} AND actor = ${owner.person.user_id}`.execute(database.owner)
  return sumsOf(
    rows.map(({ day, token_id, model, ...figures }) => {
      const editor = owner.editors.indexOf(token_id ?? '')
      const at = Date.parse(`${day}T00:00:00Z`) / 1000
      return { ...figures, at, model, editor: editor < 0 ? 'token' : editorName(editor) }
    }),
  )
}
