import { randomUUID } from 'node:crypto'
import { insertAct, type NewAct, type SupportActRow } from '../../../schema/support/acts.ts'
import { findTarget } from '../../../schema/support/targets.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** An act that support asked for, as the server writes it down. */
export async function buildAct(
  { server }: Pick<TestDatabase, 'server'>,
  asked: Pick<NewAct, 'kind' | 'target'> & Partial<NewAct>,
): Promise<SupportActRow> {
  const found = await findTarget(server, asked.target)
  const { act } = await insertAct(server, {
    id: randomUUID(),
    batch_id: null,
    finding_id: null,
    owner: found?.owner ?? null,
    params: {},
    reason: 'The customer wrote to us',
    is_dry_run: false,
    requested_by: 'user_support',
    requested_at: new Date(),
    needs_approval: false,
    next_try_at: new Date(),
    ...asked,
  })
  return act
}
