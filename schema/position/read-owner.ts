import type { Kysely } from 'kysely'
import { listChargesOfIntents } from '../charges/charges.ts'
import { listSettledPurchases } from '../checkout/intents.ts'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import type { Owner } from '../ledger/accounts.ts'
import { type Books, readBooks } from '../ledger/books.ts'
import { type Difference, differenceOf } from './difference.ts'
import type { OwnerFacts } from './facts.ts'
import { type Position, positionOf } from './position.ts'
import { moneyBack, readPlanFacts } from './read-facts.ts'

/** What an owner should have and what they have. */
export interface OwnerBalanceSheet {
  readonly position: Position
  readonly books: Books
  /** What is missing in the books, or too much in them; nothing of it is posted. */
  readonly difference: Difference
}

/**
 * Compares all that is known of an owner with all of their books. The caller's transaction is a snapshot (`repeatable read`), or holds the
 * owner's lock, so that a transfer that is posted meanwhile is no difference. The cost grows with the owner's purchases and months.
 */
export async function readOwnerBalanceSheet(
  trx: DatabaseTransaction,
  owner: Owner,
  now: Date,
): Promise<OwnerBalanceSheet> {
  const facts = await readOwnerFacts(trx, owner)
  const books = await readBooks(trx, owner)
  const position = positionOf(facts, now)
  return { position, books, difference: differenceOf(position, books) }
}

/** All facts about an owner: their plans and every purchase of credits that was paid. */
export async function readOwnerFacts(trx: DatabaseTransaction, owner: Owner): Promise<OwnerFacts> {
  const facts = await readPlanFacts(trx, owner)
  return { ...facts, purchases: await readPurchases(trx, owner) }
}

async function readPurchases(db: Kysely<DB>, owner: Owner): Promise<OwnerFacts['purchases']> {
  const intents = await listSettledPurchases(db, owner)
  const charges = Map.groupBy(
    await listChargesOfIntents(
      db,
      intents.map(({ id }) => id),
    ),
    ({ intent_id }) => intent_id,
  )
  return intents.map(({ id, credits, amount_minor }) => ({
    intent_id: id,
    credits,
    money: moneyBack(amount_minor, charges.get(id) ?? []),
  }))
}
