import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'
import { outcomeOf, type SupportActRow } from './acts.ts'
import { listSubjects } from './timeline.ts'

/** What is known of an owner at Stripe: each resync compared everything of theirs, a dry run too. */
export interface Comparison {
  /** The one that was asked for last. */
  readonly latest: SupportActRow | undefined
  /** The last one that was answered. */
  readonly done: SupportActRow | undefined
  /** It found what had not come here. */
  readonly differs: boolean
  /** The act or event that has changed something since a difference was found. */
  readonly changed_by: { readonly act_id: string | null } | undefined
}

export async function findComparison(db: Kysely<DB>, owner_id: string): Promise<Comparison> {
  const last = db
    .selectFrom('support_acts')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where('kind', '=', 'resync')
    .where((eb) => eb.or([eb('is_dry_run', '=', true), eb('state', '=', 'done')]))
    .orderBy('requested_at', 'desc')
    .limit(1)
  const latest = await last.executeTakeFirst()
  const done = latest?.state === 'done' ? latest : await last.where('state', '=', 'done').executeTakeFirst()
  // What a resync has found it has also mended.
  const differs = done?.is_dry_run === true && outcomeOf(done)?.changed === true
  if (!differs) return { latest, done, differs, changed_by: undefined }
  const subjects = await listSubjects(db, owner_id)
  const { rows } = await sql<{ act_id: string | null }>`
    SELECT id AS act_id FROM support_acts
    WHERE owner_id = ${owner_id} AND NOT is_dry_run AND state = 'done' AND finished_at >= ${done.finished_at}
    UNION ALL
    SELECT NULL FROM inbox_events WHERE subject = ANY (${subjects}) AND finished_at >= ${done.finished_at}
    LIMIT 1`.execute(db)
  return { latest, done, differs, changed_by: rows[0] }
}
