import { sql } from 'kysely'
import { type Difference, differenceOf } from '../../schema/billing/position/difference.ts'
import { type Position, positionOf } from '../../schema/billing/position/position.ts'
import { readOwnerFacts } from '../../schema/billing/position/read-owner.ts'
import { type Database, type DatabaseTransaction, inSnapshot } from '../../schema/database/connect.ts'
import { readBooks } from '../../schema/ledger/post/books.ts'
import { adjustmentOf, graceMs, resyncOf, rowsOf, type UnconfirmedDifference } from './comparison.ts'

/** Of each table; an owner has two accounts. */
const rowsPerStep = 100

/**
 * The books of every owner have what the position says, and every transfer by hand has its act of support.
 */
export const owners = rowsOf<string>({
  name: 'owners',
  list: listOwners,
  idOf: (id) => id,
  compare: ({ db }, owner_id, now) => compareOwner(db, owner_id, now),
})

/**
 * Owners who have books or had a plan, in the order of their ids; as many rows of each table are read, so the
 * list ends where the first of the two does. A purchase without books is found by its session.
 */
async function listOwners(db: Database, after: string): Promise<string[]> {
  const rowsAfter = (table: 'ledger_owners' | 'subscriptions') => sql`
    SELECT owner_id FROM ${sql.table(table)} WHERE owner_id > ${after}
    ORDER BY owner_id LIMIT ${rowsPerStep}`
  const isListed = (part: 'account' | 'plan') => sql`
    ((SELECT count(*) FROM ${sql.table(part)}) < ${rowsPerStep} OR owner_id <=
      (SELECT max(owner_id) FROM ${sql.table(part)}))`
  const { rows } = await sql<{ owner_id: string }>`
    WITH account AS MATERIALIZED (${rowsAfter('ledger_owners')}), plan AS MATERIALIZED (${rowsAfter('subscriptions')})
    SELECT DISTINCT owner_id FROM (SELECT * FROM account UNION ALL SELECT * FROM plan) owner
    WHERE ${isListed('account')} AND ${isListed('plan')} ORDER BY owner_id`.execute(db)
  return rows.map(({ owner_id }) => owner_id)
}

/**
 * Facts and books are of one snapshot, so nothing that is posted meanwhile is a difference, and no statement
 * waits for us.
 */
export async function compareOwner(
  db: Database,
  owner_id: string,
  now: Date,
): Promise<UnconfirmedDifference[]> {
  return inSnapshot(db, async (trx) => {
    const facts = await readOwnerFacts(trx, owner_id)
    const books = await readBooks(trx, owner_id)
    const position = positionOf(facts, now, books)
    // Usage moves between months only with a month that is missing itself, so that it need not be read.
    const difference = differenceOf(position, books, [])
    // A month that has just begun or ended is on its way.
    const before = differenceOf(positionOf(facts, new Date(now.getTime() - graceMs)), books, [])
    const lasting = lastingTransfers(difference, before)
    return [
      ...bookDifferences(owner_id, lasting, position),
      ...(books.grants.some(({ kind }) => kind === 'adjustment') ? await listAdjustments(trx, owner_id) : []),
    ]
  })
}

type Transfers = Difference['transfers']

function lastingTransfers(now: Difference, before: Difference): Transfers {
  const keyOf = ({ grant, component, credits }: Transfers[number]) =>
    `${grant.id} ${component} ${Math.sign(credits)}`
  const known = new Set(before.transfers.map(keyOf))
  return now.transfers.filter((transfer) => known.has(keyOf(transfer)))
}

function bookDifferences(
  owner_id: string,
  transfers: Transfers,
  position: Position,
): UnconfirmedDifference[] {
  const due = new Map(position.grants.map((grant) => [grant.id, grant]))
  return [...Map.groupBy(transfers, ({ grant }) => grant.id)].flatMap(
    ([id, some]): UnconfirmedDifference[] => {
      const [first] = some
      const credits = some.reduce((sum, transfer) => sum + transfer.credits, 0)
      if (!first || credits === 0) return []
      const { grant } = first
      const want = due.get(id)
      return [
        {
          kind: want ? (credits > 0 ? 'credits_missing' : 'credits_too_many') : 'grant_unexplained',
          object_id: id,
          owner_id,
          data: {
            due: want ? want.gross - want.refunded - want.disputed : null,
            lacking: some.map((one) => ({ component: one.component, credits: one.credits })),
          },
          credits,
          repair: resyncOf(owner_id),
          refs: [id, grant.intent_id, grant.stripe_subscription_id, grant.stripe_invoice_id],
        },
      ]
    },
  )
}

/** Adjustments that belong to no act of support. */
async function listAdjustments(trx: DatabaseTransaction, owner_id: string): Promise<UnconfirmedDifference[]> {
  const { rows } = await sql<{
    transfer_id: number
    account: string
    credits: number
    actor: string
    reason: string
    posted_at: Date
  }>`
    SELECT t.id AS transfer_id, g.account, e.amount AS credits, t.actor, t.reason, t.posted_at
    FROM ledger_grants g
    JOIN ledger_transfers t ON t.owner_id = g.owner_id AND t.grant_id = g.id
    JOIN ledger_accounts a ON a.owner_id = g.owner_id AND a.name = g.account
    JOIN ledger_entries e ON e.owner_id = a.owner_id AND e.account_id = a.id AND e.transfer_id = t.id
    WHERE g.owner_id = ${owner_id} AND g.kind = 'adjustment' AND t.act_id IS NULL
    ORDER BY t.id LIMIT 100`.execute(trx)
  return rows.map(({ transfer_id, account, credits, actor, reason, posted_at }) => ({
    kind: 'adjustment_unexplained',
    object_id: String(transfer_id),
    owner_id,
    data: { posted_at: posted_at.toISOString(), account, actor, reason },
    credits: -credits,
    repair: adjustmentOf(owner_id, -credits),
  }))
}
