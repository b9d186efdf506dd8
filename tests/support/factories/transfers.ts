import { randomUUID } from 'node:crypto'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import { houseLeg, postTransfer, type Transfer } from '../../../schema/ledger/post/post.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** A grant of purchased credits that hangs on no intent. */
export function buildGrant(owner_id: string, credits: number, fields: Partial<Transfer> = {}): Transfer {
  return {
    idempotency_key: `adjustment/${randomUUID()}`,
    kind: 'adjustment',
    occurred_at: new Date('2026-01-02T03:04:05Z'),
    intent_id: null,
    event_id: null,
    actor: 'test',
    reason: 'Test grant',
    legs: [
      { owner_kind: 'user', owner_id, account: 'purchased', amount: credits },
      houseLeg('adjusted', -credits),
    ],
    ...fields,
  }
}

export async function giveCredits(
  database: TestDatabase,
  { owner_kind, owner_id }: Owner,
  credits: { readonly plan?: number; readonly purchased?: number },
): Promise<void> {
  for (const account of ['plan', 'purchased'] as const) {
    const amount = credits[account] ?? 0
    if (amount === 0) continue
    const legs = [{ owner_kind, owner_id, account, amount }, houseLeg('adjusted', -amount)]
    await postTransfer(database.worker, buildGrant(owner_id, amount, { legs }))
  }
}
