import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import * as z from 'zod/mini'
import {
  type ActKind,
  type ActOutcome,
  type Adjustment,
  actOutcomeSchema,
  adjustmentSchema,
} from '../api/support-acts.ts'
import type { Claimable } from '../claim/claimable.ts'
import type { DB, SupportActs } from '../database/types.ts'
import type { Owner } from '../ledger/accounts.ts'

export type SupportActRow = Selectable<SupportActs>
export const claimableActs = {
  table: 'support_acts',
  key: ['id'],
  unfinished: sql<SqlBool>`state = 'queued'`,
} as const satisfies Claimable

export type ActTargetKind = SupportActRow['target_kind']

/** The target of an act: a row of ours, a charge of Stripe's, or an owner. */
export interface RowTarget {
  readonly kind: ActTargetKind
  readonly id: string
}

export interface NewAct {
  readonly id: string
  readonly batch_id: string | null
  readonly finding_id: string | null
  readonly kind: ActKind
  readonly target: RowTarget
  readonly owner: Owner | null
  readonly params: ActParams
  readonly reason: string
  readonly is_dry_run: boolean
  readonly requested_by: string
  readonly requested_at: Date
  readonly needs_approval: boolean
  /** When it is claimed, unless it was done by then. */
  readonly next_try_at: Date
}

const paramsSchema = z.object({
  adjustment: z.optional(adjustmentSchema),
  /** The job that led to the target. */
  job: z.optional(z.string()),
})
export interface ActParams {
  readonly adjustment?: Adjustment | undefined
  readonly job?: string | undefined
}

export function paramsOf({ params }: Pick<SupportActRow, 'params'>): ActParams {
  return z.parse(paramsSchema, params)
}

export function outcomeOf({ outcome }: Pick<SupportActRow, 'outcome'>): ActOutcome | null {
  return outcome === null ? null : z.parse(actOutcomeSchema, outcome)
}

export function ownerOf({
  owner_kind,
  owner_id,
}: Pick<SupportActRow, 'owner_kind' | 'owner_id'>): Owner | null {
  return owner_kind && owner_id ? { owner_kind, owner_id } : null
}

export function targetOf({
  target_kind,
  target_id,
}: Pick<SupportActRow, 'target_kind' | 'target_id'>): RowTarget {
  return { kind: target_kind, id: target_id }
}

export type InsertedAct =
  | { readonly outcome: 'new'; readonly act: SupportActRow }
  /** The same id was used before. */
  | { readonly outcome: 'known'; readonly act: SupportActRow }
  /** Another act on the same target is open. */
  | { readonly outcome: 'under_way'; readonly act: SupportActRow }

/** Writes an act down, unless its id is known, or another act on its target is under way. */
export async function insertAct(db: Kysely<DB>, act: NewAct): Promise<InsertedAct> {
  const { target, owner, params, needs_approval, ...fields } = act
  for (;;) {
    const inserted = await db
      .insertInto('support_acts')
      .values({
        ...fields,
        target_kind: target.kind,
        target_id: target.id,
        owner_kind: owner?.owner_kind ?? null,
        owner_id: owner?.owner_id ?? null,
        params: JSON.stringify(params),
        state: needs_approval ? 'waiting_for_approval' : 'queued',
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (inserted) return { outcome: 'new', act: inserted }
    const known = await findAct(db, act.id)
    if (known) return { outcome: 'known', act: known }
    const other = await findActUnderWay(db, target)
    if (other) return { outcome: 'under_way', act: other }
    // The other one ended in this moment.
  }
}

export async function findAct(db: Kysely<DB>, id: string): Promise<SupportActRow | undefined> {
  return db.selectFrom('support_acts').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Reads the act and keeps others from doing it, or deciding on it, until the transaction ends. */
export async function lockAct(db: Kysely<DB>, id: string): Promise<SupportActRow | undefined> {
  return db.selectFrom('support_acts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

async function findActUnderWay(db: Kysely<DB>, target: RowTarget): Promise<SupportActRow | undefined> {
  return db
    .selectFrom('support_acts')
    .selectAll()
    .where('target_kind', '=', target.kind)
    .where('target_id', '=', target.id)
    .where('state', 'in', ['waiting_for_approval', 'queued'])
    .where('is_dry_run', '=', false)
    .executeTakeFirst()
}

export type ActFilter =
  | { readonly id: string }
  | { readonly batch_id: string }
  | { readonly owner: Owner }
  | { readonly state: 'waiting_for_approval' }

export async function listActs(
  db: Kysely<DB>,
  filter: ActFilter,
  { limit }: { readonly limit: number },
): Promise<SupportActRow[]> {
  const query = db.selectFrom('support_acts').selectAll().limit(limit)
  if ('id' in filter) return query.where('id', '=', filter.id).execute()
  if ('batch_id' in filter) return query.where('batch_id', '=', filter.batch_id).orderBy('id').execute()
  if ('state' in filter) return query.where('state', '=', filter.state).orderBy('requested_at').execute()
  const { owner_kind, owner_id } = filter.owner
  return query
    .where('owner_kind', '=', owner_kind)
    .where('owner_id', '=', owner_id)
    .orderBy('requested_at', 'desc')
    .execute()
}

export async function countBatch(
  db: Kysely<DB>,
  batch_id: string,
): Promise<{ state: SupportActRow['state']; count: number }[]> {
  return db
    .selectFrom('support_acts')
    .select(['state', sql<number>`count(*)`.as('count')])
    .where('batch_id', '=', batch_id)
    .groupBy('state')
    .execute()
}

/** Sum of the absolute credits that a person adjusted for an owner without a second person since then. */
export async function sumUnapprovedAdjustments(
  db: Kysely<DB>,
  {
    owner,
    requested_by,
    since,
  }: { readonly owner: Owner; readonly requested_by: string; readonly since: Date },
): Promise<number> {
  const { credits } = await db
    .selectFrom('support_acts')
    .select(
      sql<number>`coalesce(sum(abs((params #>> '{adjustment,credits}')::bigint)), 0)::bigint`.as('credits'),
    )
    .where('owner_kind', '=', owner.owner_kind)
    .where('owner_id', '=', owner.owner_id)
    .where('requested_at', '>', since)
    .where('kind', '=', 'adjust')
    .where('requested_by', '=', requested_by)
    .where('state', 'in', ['queued', 'done'])
    .where('approved_by', 'is', null)
    .where('is_dry_run', '=', false)
    .executeTakeFirstOrThrow()
  return credits
}

/** Undefined when it did not wait for approval any more. */
export async function approveAct(
  db: Kysely<DB>,
  approval: {
    readonly id: string
    readonly approved_by: string
    readonly now: Date
    readonly next_try_at: Date
  },
): Promise<SupportActRow | undefined> {
  const { id, approved_by, now, next_try_at } = approval
  return db
    .updateTable('support_acts')
    .set({ state: 'queued', approved_by, approved_at: now, next_try_at })
    .where('id', '=', id)
    .where('state', '=', 'waiting_for_approval')
    .returningAll()
    .executeTakeFirst()
}

/** Undefined when it did not wait for approval any more. */
export async function refuseAct(
  db: Kysely<DB>,
  refusal: { readonly id: string; readonly refused_by: string; readonly error: string; readonly now: Date },
): Promise<SupportActRow | undefined> {
  const { id, refused_by, error, now } = refusal
  return db
    .updateTable('support_acts')
    .set({ state: 'refused', refused_by, error, finished_at: now })
    .where('id', '=', id)
    .where('state', '=', 'waiting_for_approval')
    .returningAll()
    .executeTakeFirst()
}

/** Records the outcome of an act, in its own transaction. The caller holds its row. */
export async function finishAct(
  db: Kysely<DB>,
  finished: {
    readonly id: string
    readonly owner: Owner | null
    readonly outcome: ActOutcome
    readonly now: Date
  },
): Promise<void> {
  await db
    .updateTable('support_acts')
    .set({
      state: 'done',
      outcome: JSON.stringify(finished.outcome),
      finished_at: finished.now,
      last_error: null,
      ...(finished.owner && {
        owner_kind: finished.owner.owner_kind,
        owner_id: finished.owner.owner_id,
      }),
    })
    .where('id', '=', finished.id)
    .execute()
}

/** False when it was not queued any more. */
export async function failAct(
  db: Kysely<DB>,
  failed: { readonly id: string; readonly error: string; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('support_acts')
    .set({ state: 'failed', error: failed.error, finished_at: failed.now })
    .where('id', '=', failed.id)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** How many acts wait for a second person, and how many for the worker. */
export async function countUnfinishedActs(
  db: Kysely<DB>,
): Promise<{ readonly waiting_for_approval: number; readonly queued: number }> {
  const count = async (state: 'waiting_for_approval' | 'queued') => {
    const { acts } = await db
      .selectFrom('support_acts')
      .select(({ fn }) => fn.countAll<number>().as('acts'))
      .where('state', '=', state)
      .executeTakeFirstOrThrow()
    return acts
  }
  return { waiting_for_approval: await count('waiting_for_approval'), queued: await count('queued') }
}
