import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { readOwnerBalanceSheet } from '../../schema/billing/position/read-owner.ts'
import { listBudgets } from '../../schema/ledger/budgets.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { type Life, openHolds } from './model.ts'
import { limitsOn } from './model-budgets.ts'
import { costByTokens, sumsOf } from './model-holds.ts'
import type { Owner } from './owner.ts'
import { editorName } from './owner-holds.ts'
import { payerOf } from './owner-ledger.ts'

/** What is wrong with the owner's holds and limits, and with the sums of usage. */
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
  const sums = sumsOf(owner.spending.used)
  const foundSums = await readSums(product, owner, payer)
  const { rest } = (await product.database.owner
    .selectFrom('ledger_owners')
    .select('rest')
    .where('owner_id', '=', payer)
    .executeTakeFirst()) ?? { rest: 0 }
  const parts = costByTokens(life) % 1000
  return [
    ...(isDeepStrictEqual(expected.toSorted(), found.toSorted())
      ? []
      : [`holds: expected ${expected}, found ${found}`]),
    ...(await limitDifferences(product, owner, { life, payer, at: seconds })),
    // What is settled since midnight counts to the day on which it was reserved.
    ...(await limitDifferences(product, owner, {
      ...{ payer, at: seconds - 86_400 },
      life: { ...life, reserved: { ...life.reserved, holds: openHolds(life, seconds) } },
    })),
    ...(parts === rest ? [] : [`thousandths of a credit: expected ${parts}, found ${rest}`]),
    ...(isDeepStrictEqual(sums, foundSums) ? [] : [`usage: expected ${sums}, found ${foundSums}`]),
    ...difference.transfers.map(
      ({ grant, component, credits }) => `not posted: ${component} ${credits} of ${grant.id}`,
    ),
  ]
}

/** What is wrong with the limits of the periods of a moment. */
async function limitDifferences(
  product: FaultyProduct,
  { person, colleague }: Owner,
  { life, payer, at }: { life: Life; payer: string; at: number },
): Promise<string[]> {
  const people = [person.user_id, colleague]
  const now = new Date(at * 1000)
  const listed = await listBudgets(product.database.owner, { owner_id: payer, people, now })
  const found = listed.map(
    ({ person: by, scope, credits, used, held, resets_at }) =>
      `${by} ${scope} ${credits} ${used} ${held} ${resets_at.getTime() / 1000}`,
  )
  const expected = people.flatMap((by) =>
    limitsOn(life, at, { by, run: null }).map(
      ({ scope, limit, spent, held, resets_at }) => `${by} ${scope} ${limit} ${spent} ${held} ${resets_at}`,
    ),
  )
  return isDeepStrictEqual(expected.toSorted(), found.toSorted())
    ? []
    : [`limits at ${at}: expected ${expected}, found ${found}`]
}

async function readSums({ database }: FaultyProduct, owner: Owner, payer: string): Promise<string[]> {
  const { rows } = await sql<
    Record<'day' | 'model', string> &
      Record<'requests' | 'failed' | 'credits', number> & { token_id: string | null }
  >`
    SELECT day::text, token_id, model, requests, failed, credits FROM ledger_usage_days
    WHERE owner_id = ${payer}`.execute(database.owner)
  return sumsOf(
    rows.map(({ day, token_id, model, ...figures }) => {
      const editor = owner.editors.indexOf(token_id ?? '')
      const at = Date.parse(`${day}T00:00:00Z`) / 1000
      return { ...figures, at, model, editor: editor < 0 ? 'token' : editorName(editor) }
    }),
  )
}
