import { type CreditTransaction, getCreditHistory } from '../../schema/api/credits.ts'
import { type HistoryCursor, type HistoryEntry, listHistory } from '../../schema/ledger/history.ts'
import { invalidCursor } from '../errors.ts'
import { oneself } from '../rights.ts'
import { route } from '../route.ts'

export const creditsRoutes = [
  route(getCreditHistory, {
    rights: oneself,
  }).handle(async ({ query, user_id }, deps) => {
    const owner = { owner_kind: 'user', owner_id: user_id } as const
    const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
    // One entry more than requested shows whether there is a next page.
    const entries = await listHistory(deps.db, owner, { limit: query.limit + 1, before })
    const page = entries.slice(0, query.limit)
    const last = page.at(-1)
    return {
      success: true,
      data: {
        items: page.map(presentEntry),
        next_cursor: entries.length > page.length && last ? encodeCursor(last) : null,
      },
    }
  }),
]

function presentEntry(entry: HistoryEntry): CreditTransaction {
  return {
    id: `${entry.transfer_id}.${entry.account_id}`,
    amount: entry.amount,
    type: entry.amount > 0 ? 'grant' : 'usage',
    kind: entry.kind,
    account: entry.account,
    description: entry.reason,
    balance_after: entry.balance_after,
    created_at: entry.occurred_at.toISOString(),
    reference_id: entry.stripe_session_id,
  }
}

function encodeCursor({ transfer_id, account_id }: HistoryCursor): string {
  return Buffer.from(`${transfer_id}.${account_id}`).toString('base64url')
}

function decodeCursor(cursor: string): HistoryCursor {
  const ids = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (!ids) throw invalidCursor()
  return { transfer_id: Number(ids[1]), account_id: Number(ids[2]) }
}
