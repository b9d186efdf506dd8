import { type BooksInScope, differenceOf } from '../../schema/billing/position/difference.ts'
import type { OwnerFacts } from '../../schema/billing/position/facts.ts'
import { positionOf } from '../../schema/billing/position/position.ts'
import { readPlanFacts, readPurchaseFacts } from '../../schema/billing/position/read-facts.ts'
import type { Database } from '../../schema/database/connect.ts'
import { readBooks, readPurchaseGrant } from '../../schema/ledger/post/books.ts'

/** Owners whose books are not what their facts make due, by the product's own reckoning. */
export async function booksDiffer(database: Database, now: Date): Promise<string[]> {
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const problems: string[] = []
      const compare = (what: string, facts: OwnerFacts, books: BooksInScope) => {
        const { transfers, closings } = differenceOf(positionOf(facts, now), books, [])
        for (const { component, credits, grant } of transfers)
          problems.push(`${what}: ${credits} credits (${component}) of ${grant.id} are not posted`)
        for (const month of closings) problems.push(`${what}: month ${JSON.stringify(month)} is not closed`)
      }
      const planOwners = await trx.selectFrom('subscriptions').select(['owner_id']).distinct().execute()
      for (const { owner_id } of planOwners) {
        const books = await readBooks(trx, owner_id)
        const grants = books.grants.filter(({ kind }) => kind !== 'purchase')
        compare(owner_id, await readPlanFacts(trx, owner_id), { ...books, grants })
      }
      const purchases = await trx
        .selectFrom('checkout_intents')
        .select(['id', 'owner_id', 'credits', 'amount_minor'])
        .where('kind', '=', 'credit_purchase')
        .where('state', '=', 'settled')
        .execute()
      for (const purchase of purchases) {
        const owner_id = purchase.owner_id ?? ''
        const fact = (await readPurchaseFacts(trx, owner_id, [purchase])).get(purchase.id)
        const facts = {
          owner_id,
          purchases: fact ? [fact] : [],
          subscriptions: [],
          invoice_money: new Map(),
        }
        const grant = await readPurchaseGrant(trx, purchase.id)
        const none = { closed_months: [], holds: [], used_open: 0 }
        const books = { ...none, grants: grant ? [grant] : [] }
        compare(`purchase ${purchase.id}`, facts, books)
      }
      return problems
    })
}
