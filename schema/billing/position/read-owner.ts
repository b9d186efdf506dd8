import type { DatabaseTransaction } from '../../database/connect.ts'
import { type Books, readBooks } from '../../ledger/post/books.ts'
import { readUsageInMonths } from '../../ledger/post/usage-in-months.ts'
import { listSettledPurchases } from '../checkout/intents.ts'
import { type Difference, differenceOf, usageToCount } from './difference.ts'
import type { OwnerFacts } from './facts.ts'
import { type Position, positionOf } from './position.ts'
import { readPlanFacts, readPurchaseFacts } from './read-facts.ts'

export interface OwnerBalanceSheet {
  readonly facts: OwnerFacts
  readonly position: Position
  readonly books: Books
  /** The missing and surplus transfers of the books; none of them is posted. */
  readonly difference: Difference
}

/**
 * Compares all facts of an owner with all of their books. `assuming` adds facts that are not there yet, for a
 * preview of what they would post. The caller's transaction is a snapshot (`repeatable
 * read`) or holds the owner's lock, so that a concurrent transfer is no difference. The cost grows with the
 * owner's purchases and months.
 */
export async function readOwnerBalanceSheet(
  trx: DatabaseTransaction,
  owner_id: string,
  now: Date,
  assuming: (facts: OwnerFacts) => OwnerFacts = (facts) => facts,
): Promise<OwnerBalanceSheet> {
  const facts = assuming(await readOwnerFacts(trx, owner_id))
  const books = await readBooks(trx, owner_id)
  const position = positionOf(facts, now, books)
  const usage = await readUsageInMonths(trx, owner_id, usageToCount(position, books))
  return { facts, position, books, difference: differenceOf(position, books, usage) }
}

/** All facts about an owner: their plans and every purchase of credits that was paid. */
export async function readOwnerFacts(trx: DatabaseTransaction, owner_id: string): Promise<OwnerFacts> {
  const facts = await readPlanFacts(trx, owner_id)
  const purchases = await readPurchaseFacts(trx, owner_id, await listSettledPurchases(trx, owner_id))
  return { ...facts, purchases: [...purchases.values()] }
}
