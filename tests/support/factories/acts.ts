import { randomUUID } from 'node:crypto'
import { type ActLimits, insertAct, type NewAct, type SupportActRow } from '../../../schema/support/acts.ts'
import { findTarget } from '../../../schema/support/targets.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** Credits, and minor units. */
export const testLimits: ActLimits = {
  adjust: { asker: 5000, total: 50_000 },
  refund: { asker: 10_000, total: 100_000 },
}

/** A request for an act, at the terminal unless `asked` says otherwise. */
export function buildNewAct(asked: Pick<NewAct, 'kind' | 'target'> & Partial<NewAct>): NewAct {
  return {
    id: randomUUID(),
    batch_id: null,
    finding_id: null,
    owner_id: null,
    params: {},
    reason: 'The customer wrote to us',
    is_dry_run: false,
    requested_by: 'cli:support',
    next_try_at: new Date(),
    ...asked,
  }
}

/** An act that support asked for at the terminal. */
export async function buildAct(
  { owner: db }: Pick<TestDatabase, 'owner'>,
  asked: Pick<NewAct, 'kind' | 'target'> & Partial<NewAct>,
  limits: ActLimits = testLimits,
): Promise<SupportActRow> {
  const owner_id = (await findTarget(db, asked.target))?.owner_id ?? null
  const { act } = await insertAct(db, buildNewAct({ owner_id, ...asked }), { token: null, amount: 0, limits })
  return act
}

/** One that waits for a second person. */
export function buildWaitingAct(
  database: Pick<TestDatabase, 'owner'>,
  asked: Pick<NewAct, 'target'> & Partial<NewAct>,
): Promise<SupportActRow> {
  const adjustment = { credits: 5001, customer_note: 'With our apologies', may_leave_debt: true }
  return buildAct(database, { kind: 'adjust', params: { adjustment }, ...asked })
}
