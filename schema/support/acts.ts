import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import * as z from 'zod/mini'
import {
  type ActKind,
  type ActOutcome,
  type ActParams,
  actOutcomeSchema,
  isLimited,
  type LimitedKind,
  limitedKinds,
  maximumTargets,
  type TargetKind,
} from '../api/support-acts.ts'
import type { DB, SupportActs } from '../database/types.ts'
import type { Claimable } from '../inbox/claim/claimable.ts'
import type { PersonTraces } from './person.ts'

export type SupportActRow = Selectable<SupportActs>
export const claimableActs = {
  table: 'support_acts',
  key: ['id'],
  unfinished: sql<SqlBool>`state = 'queued'`,
} as const satisfies Claimable

/** The target of an act: a row of ours, a charge of Stripe's, or an owner. */
export interface RowTarget {
  readonly kind: TargetKind
  readonly id: string
}

export interface NewAct {
  readonly id: string
  readonly batch_id: string | null
  readonly finding_id: string | null
  readonly kind: ActKind
  readonly target: RowTarget
  readonly owner_id: string | null
  readonly params: ActParams
  readonly reason: string
  readonly is_dry_run: boolean
  readonly requested_by: string
  /** When it is claimed, unless it was done by then. */
  readonly next_try_at: Date
}

export function outcomeOf({ outcome }: Pick<SupportActRow, 'outcome'>): ActOutcome | null {
  return outcome === null ? null : z.parse(actOutcomeSchema, outcome)
}

export function targetOf({
  target_kind,
  target_id,
}: Pick<SupportActRow, 'target_kind' | 'target_id'>): RowTarget {
  return { kind: target_kind as TargetKind, id: target_id }
}

export type InsertedAct =
  | { readonly outcome: 'new'; readonly act: SupportActRow }
  /** The same id was used before. */
  | { readonly outcome: 'known'; readonly act: SupportActRow }
  /** An act that contradicts it is under way. */
  | { readonly outcome: 'under_way'; readonly act: SupportActRow }

/** What may be done within a day without a second person: credits, or minor units of any currency. */
interface DailyLimits {
  readonly asker: number
  /** By all askers together. */
  readonly total: number
}
export type ActLimits = Readonly<Record<LimitedKind, DailyLimits>>

export interface AskedBy {
  /** The session token of the asker; null at the terminal, whose login owns the tables. */
  readonly token: string | null
  /** Of the whole request: see `amountOf`. */
  readonly amount: number
  readonly limits: ActLimits
}

/**
 * Writes an act down with its entry in the audit log, unless its id is known, or an act that contradicts it
 * is under way.
 */
export async function insertAct(db: Kysely<DB>, act: NewAct, asked_by: AskedBy): Promise<InsertedAct> {
  const { token, amount } = asked_by
  const { asker, total } = limitsOf(asked_by.limits, act)
  const write = sql.raw(token === null ? 'support_write_act' : 'support_request_act')
  for (;;) {
    const { rows } = await sql<SupportActRow>`
      SELECT * FROM ${write}(${rowOf(act)}::jsonb, ${amount}, ${asker}, ${total}, ${token})
    `.execute(db)
    const [inserted] = rows
    if (inserted) return { outcome: 'new', act: inserted }
    const known = await findAct(db, act.id)
    if (known) return { outcome: 'known', act: known }
    const other = await findContradictingAct(db, act)
    if (other) return { outcome: 'under_way', act: other }
    // The other one ended in this moment.
  }
}

function limitsOf(limits: ActLimits, { kind }: Pick<SupportActRow, 'kind'>): DailyLimits {
  return isLimited(kind) ? limits[kind] : { asker: 0, total: 0 }
}

function rowOf({ target, owner_id, ...fields }: NewAct): string {
  return JSON.stringify({ ...fields, owner_id, target_kind: target.kind, target_id: target.id })
}

/**
 * Whether a second person has to agree to an act, by what was asked for until then; of a dry run, whether one
 * would have to. `amount` is that of the whole request, where the act is not the only one of it.
 */
export async function needsApproval(
  db: Kysely<DB>,
  { id, kind }: Pick<SupportActRow, 'id' | 'kind'>,
  { amount = 0, limits }: Pick<AskedBy, 'limits'> & { readonly amount?: number },
): Promise<boolean> {
  const { asker, total } = limitsOf(limits, { kind })
  const { rows } = await sql<{ needed: boolean }>`
    SELECT support_needs_approval(a, ${amount}, ${asker}, ${total}, a.requested_at) AS needed
    FROM support_acts a WHERE a.id = ${id}
  `.execute(db)
  return rows[0]?.needed ?? true
}

/** Whether it passes what no two people may adjust or refund together. */
export async function passesCeiling(
  db: Kysely<DB>,
  { id, kind }: Pick<SupportActRow, 'id' | 'kind'>,
  limits: ActLimits,
): Promise<boolean> {
  const { total } = limitsOf(limits, { kind })
  const { rows } = await sql<{ passes: boolean }>`
    SELECT support_passes_ceiling(a, ${total}) AS passes FROM support_acts a WHERE a.id = ${id}`.execute(db)
  return rows[0]?.passes ?? true
}

export async function findAct(db: Kysely<DB>, id: string): Promise<SupportActRow | undefined> {
  return db.selectFrom('support_acts').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Reads the act and keeps others from doing it, or deciding on it, until the transaction ends. */
export async function lockAct(db: Kysely<DB>, id: string): Promise<SupportActRow | undefined> {
  return db.selectFrom('support_acts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

async function findContradictingAct(db: Kysely<DB>, act: NewAct): Promise<SupportActRow | undefined> {
  const { rows } = await sql<SupportActRow>`
    SELECT * FROM support_contradicting_act(jsonb_populate_record(NULL::support_acts, ${rowOf(act)}::jsonb))
  `.execute(db)
  return rows[0]
}

export type ActFilter =
  | { readonly id: string }
  | { readonly batch_id: string }
  | { readonly state: 'waiting_for_approval' }

export async function listActs(db: Kysely<DB>, filter: ActFilter): Promise<SupportActRow[]> {
  const query = db.selectFrom('support_acts').selectAll().limit(maximumTargets)
  if ('id' in filter) return query.where('id', '=', filter.id).execute()
  if ('batch_id' in filter) return query.where('batch_id', '=', filter.batch_id).orderBy('id').execute()
  return query.where('state', '=', filter.state).orderBy('requested_at').execute()
}

/**
 * Undefined when it did not wait for approval any more, or erases a person whose e-mail address was not
 * typed.
 */
export async function approveAct(
  db: Kysely<DB>,
  approval: {
    readonly id: string
    readonly approved_by: string
    /** The session token of the approver. */
    readonly token: string
    readonly typed_address?: string | undefined
    readonly next_try_at: Date
  },
): Promise<SupportActRow | undefined> {
  const { id, approved_by, token, typed_address = null, next_try_at } = approval
  const { rows } = await sql<SupportActRow>`
    SELECT * FROM support_approve_act(${id}, ${approved_by}, ${token}, ${next_try_at}, ${typed_address})
  `.execute(db)
  return rows[0]
}

/** Undefined when it did not wait for approval any more. */
export async function refuseAct(
  db: Kysely<DB>,
  refusal: { readonly id: string; readonly refused_by: string; readonly error: string; readonly now: Date },
): Promise<SupportActRow | undefined> {
  const { id, refused_by, error, now } = refusal
  const { rows } = await sql<SupportActRow>`
    SELECT * FROM support_refuse_act(${id}, ${refused_by}, ${error}, ${now})
  `.execute(db)
  return rows[0]
}

/** Ends the acts of a batch that have not begun, and returns how many they are. */
export async function cancelBatch(
  db: Kysely<DB>,
  {
    batch_id,
    cancelled_by,
    now,
  }: { readonly batch_id: string; readonly cancelled_by: string; readonly now: Date },
): Promise<number> {
  const { rows } = await sql`SELECT FROM support_cancel_batch(${batch_id}, ${cancelled_by}, ${now})`.execute(
    db,
  )
  return rows.length
}

/** What proves who asked for an act or agreed to it. */
export interface ActStep {
  readonly step: 'requested' | 'approved'
  readonly token: string
  /** When it was shown, by the database's clock. */
  readonly at: Date
}

/** The worker's role alone may read them. */
export async function listActSteps(db: Kysely<DB>, act_id: string): Promise<ActStep[]> {
  return (await db
    .selectFrom('support_act_tokens')
    .select(['step', 'token', 'at'])
    .where('act_id', '=', act_id)
    .execute()) as ActStep[]
}

async function deleteActSteps(db: Kysely<DB>, act_id: string): Promise<void> {
  await db.deleteFrom('support_act_tokens').where('act_id', '=', act_id).execute()
}

/** Records the outcome of an act, in its own transaction. The caller holds its row. */
export async function finishAct(
  db: Kysely<DB>,
  finished: {
    readonly id: string
    readonly owner_id: string | null
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
      owner_id: finished.owner_id,
    })
    .where('id', '=', finished.id)
    .execute()
  await deleteActSteps(db, finished.id)
}

/** `is_unavailable`: Stripe or Clerk did not answer. False when it was not queued any more. */
export async function failAct(
  db: Kysely<DB>,
  failed: {
    readonly id: string
    readonly error: string
    readonly is_unavailable: boolean
    readonly now: Date
  },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('support_acts')
    .set({
      state: 'failed',
      error: failed.error,
      finished_at: failed.now,
      ...(failed.is_unavailable && { unavailable_since: failed.now }),
    })
    .where('id', '=', failed.id)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  await deleteActSteps(db, failed.id)
  return numUpdatedRows > 0n
}

/**
 * Erases what was written of acts that are about a person, or that names them; those that are not over keep
 * it, but for the erasure itself.
 */
export async function eraseActTexts(
  trx: Kysely<DB>,
  { user_id, objects, names }: Pick<PersonTraces, 'objects' | 'names'> & { readonly user_id: string },
): Promise<void> {
  await sql`SELECT support_erase_texts(${user_id}, ${objects}::text[], ${names}::text[])`.execute(trx)
}

/** An act about a person that is not over, but for their erasure. */
export async function findOpenActOn(
  db: Kysely<DB>,
  { user_id, objects }: Pick<PersonTraces, 'objects'> & { readonly user_id: string },
): Promise<Pick<SupportActRow, 'id' | 'kind'> | undefined> {
  return db
    .selectFrom('support_acts')
    .select(['id', 'kind'])
    .where('state', 'in', ['waiting_for_approval', 'queued'])
    .where('is_dry_run', '=', false)
    .where('kind', '<>', 'forget')
    .where(({ eb, or }) => or([eb('owner_id', '=', user_id), eb('target_id', 'in', objects)]))
    .limit(1)
    .executeTakeFirst()
}

const dayMs = 24 * 3600 * 1000

/** What was adjusted or refunded within a day without a second person, by all askers. */
export async function sumUnapproved(db: Kysely<DB>, kind: LimitedKind, now: Date): Promise<number> {
  const { amount } = await db
    .selectFrom('support_acts as a')
    .select(sql<number>`coalesce(sum(support_amount(a)), 0)::bigint`.as('amount'))
    .where('kind', 'in', limitedKinds)
    .where('kind', '=', kind)
    .where('is_dry_run', '=', false)
    .where('approved_by', 'is', null)
    .where('state', 'in', ['queued', 'done'])
    .where('requested_at', '>', new Date(now.getTime() - dayMs))
    .executeTakeFirstOrThrow()
  return amount
}

/**
 * Acts that failed since then, and were no dry runs. One that failed stays as it is: the next one is another
 * act.
 */
export async function countFailedActs(db: Kysely<DB>, since: Date): Promise<number> {
  const { acts } = await db
    .selectFrom('support_acts')
    .select(({ fn }) => fn.countAll<number>().as('acts'))
    .where(sql<boolean>`state = 'failed' AND NOT is_dry_run`)
    .where('finished_at', '>', since)
    .executeTakeFirstOrThrow()
  return acts
}

/** How many acts wait for a second person, and how many for the worker. */
export async function countUnfinishedActs(
  db: Kysely<DB>,
): Promise<{ readonly waiting_for_approval: number; readonly queued: number }> {
  const count = (state: 'waiting_for_approval' | 'queued') =>
    sql<number>`(SELECT count(*) FROM support_acts WHERE state = ${state})`
  const { rows } = await sql<{ waiting_for_approval: number; queued: number }>`
    SELECT ${count('waiting_for_approval')} AS waiting_for_approval, ${count('queued')} AS queued`.execute(db)
  return rows[0] ?? { waiting_for_approval: 0, queued: 0 }
}
