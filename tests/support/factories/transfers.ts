import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DB } from '../../../schema/database/types.ts'
import type { OwnerAccount } from '../../../schema/ledger/accounts.ts'
import { adjustmentGrant } from '../../../schema/ledger/grants.ts'
import { type PostedTransfer, postTransfers, type Transfer } from '../../../schema/ledger/post/post.ts'
import {
  refuseConflict,
  type SpendOutcome,
  type SpendRequest,
  spendCredits,
  type Usage,
} from '../../../schema/ledger/spend/usage.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { buildTransfer } from './grants.ts'

/**
 * An adjustment of an owner's account, which is `purchased` unless another one is named. Hangs on no intent.
 */
export function buildGrant(
  owner_id: string,
  credits: number,
  { account = 'purchased', ...fields }: Partial<Transfer> & { readonly account?: OwnerAccount } = {},
): Transfer {
  const transfer = { kind: 'adjustment', ordinal: 1, amount: credits } as const
  return buildTransfer(adjustmentGrant(owner_id, account), transfer, {
    idempotency_key: `adjustment/${randomUUID()}`,
    occurred_at: new Date('2026-01-02T03:04:05Z'),
    reason: 'Test grant',
    ...fields,
  })
}

export async function postTransfer(db: Kysely<DB>, transfer: Transfer): Promise<PostedTransfer> {
  const [posted] = await postTransfers(db, [transfer])
  if (!posted) throw new Error(`The ledger returned nothing for ${transfer.idempotency_key}`)
  return posted
}

/** What the ledger decides about one request, as a group of one. */
export async function decideOne(db: Kysely<DB>, request: SpendRequest): Promise<SpendOutcome> {
  const [outcome] = await spendCredits(db, [request])
  if (!outcome) throw new Error('The ledger did not decide a request')
  return outcome
}

/** The same, but a conflict is an error, as it is in the product. */
export async function spendOne(db: Kysely<DB>, usage: SpendRequest): Promise<SpendOutcome> {
  return refuseConflict(usage, await decideOne(db, usage))
}

/** The use of one credit of an owner, now and by themselves unless told otherwise. */
export function buildUsage(owner_id: string, fields: Partial<Usage> = {}): Usage {
  const now = { idempotency_key: randomUUID(), occurred_at: new Date() }
  return { owner_id, credits: 1, ...now, actor: owner_id, reason: 'Chat', ...fields }
}

/** The same, decided by itself; a conflict is an error. */
export function spendNow(
  db: Kysely<DB>,
  owner_id: string,
  credits: number,
  fields: Partial<Usage> = {},
): Promise<SpendOutcome> {
  return spendOne(db, buildUsage(owner_id, { credits, ...fields }))
}

/** Posts credits to the accounts of an owner. */
export async function giveCredits(
  database: TestDatabase,
  owner_id: string,
  credits: { readonly plan?: number; readonly purchased?: number },
): Promise<void> {
  for (const account of ['plan', 'purchased'] as const) {
    const amount = credits[account] ?? 0
    if (amount === 0) continue
    await postTransfer(database.worker, buildGrant(owner_id, amount, { account }))
  }
}
