import { z } from 'zod'
import type { QueryOf } from '../../schema/api/endpoint.ts'
import { type listWork, type WorkList, type WorkRow, workKinds } from '../../schema/api/support.ts'
import { findOldestUnapplied } from '../../schema/inbox/backlog.ts'
import { type Owner, ownerOfId } from '../../schema/ledger/accounts.ts'
import { findOwners } from '../../schema/support/owners.ts'
import {
  countProblems,
  listProblems,
  type ProblemRow,
  type ProblemState,
} from '../../schema/support/problems.ts'
import { findTimelineRow } from '../../schema/support/timeline.ts'
import { cursorKeySchema, cursorOf, cursorTimeSchema } from '../cursor.ts'
import type { Dependencies } from '../dependencies.ts'
import { presentOwners } from './owners.ts'
import { presentOptions } from './trace.ts'
import { presentRow } from './trace-items.ts'

type Deps = Pick<Dependencies, 'db' | 'clerk' | 'stripe' | 'producer' | 'settings' | 'now'>
type Query = QueryOf<typeof listWork>

const pageSize = 50
/** The number of rows read of each kind when they are ordered by money. */
const orderedMax = 200
const countedMax = 1000

interface Found {
  readonly row: ProblemRow
  readonly state: ProblemState
}

export async function readWork(deps: Deps, query: Query): Promise<WorkList> {
  const options = presentOptions(deps)
  const { now, stuck_before } = options
  const [{ found, next_cursor }, counts, queues, oldest] = await Promise.all([
    findWork(deps, query, { now, stuck_before }),
    countProblems(deps.db, { stuck_before, limit: countedMax + 1 }),
    readQueues(deps),
    findOldestUnapplied(deps.db),
  ])
  const intents = await findIntents(deps, found)
  const owners = await findOwnersOf(deps, found)
  const present = await presentOwners(
    deps.db,
    found.map(({ row }) => owners(row)),
  )
  const rows = found.map(({ row, state }): WorkRow => {
    const item = presentRow(row, options).at(-1)
    if (!item) throw new Error(`${row.kind} ${row.id} is nothing to show`)
    const intent = row.kind === 'event' ? intents.get(row.data.intent_id ?? '') : undefined
    return {
      key: item.key,
      kind: row.kind,
      id: row.id,
      state,
      title: item.title,
      owner: present(owners(row)),
      since: sinceOf(row),
      money: item.money ?? intent?.money ?? null,
      credits: item.credits ?? intent?.credits ?? null,
      error: item.error,
      attempts: item.attempts ?? 0,
      next_try_at: item.next_try_at,
      links: item.links,
      replay: item.replay,
    }
  })
  const costOf = ({ money }: WorkRow) => money?.amount_minor ?? 0
  return {
    rows: query.order === 'money' ? rows.toSorted((a, b) => costOf(b) - costOf(a)).slice(0, pageSize) : rows,
    next_cursor,
    counts: counts.map(({ kind, state, count }) => ({
      kind,
      state,
      count: Math.min(count, countedMax),
      capped: count > countedMax,
    })),
    queues,
    oldest_unapplied_event: oldest && { ...oldest, received_at: oldest.received_at.toISOString() },
    as_of: now.toISOString(),
  }
}

/** A page in the order of age. Each kind is read up to the page's length, so all continue at its end. */
async function findWork(
  { db }: Deps,
  query: Query,
  { now, stuck_before }: { readonly now: Date; readonly stuck_before: Date },
): Promise<{ found: Found[]; next_cursor: string | null }> {
  const kinds = query.kind ? [query.kind] : workKinds
  const states: readonly ProblemState[] = query.state ? [query.state] : ['failed', 'stuck']
  const after = query.cursor === undefined ? undefined : placeAt(query.cursor)
  const { older_than_minutes, from, to } = query
  const since = from === undefined ? undefined : new Date(from)
  const ends = [
    ...(older_than_minutes === undefined ? [] : [now.getTime() - older_than_minutes * 60_000]),
    ...(to === undefined ? [] : [Date.parse(to)]),
  ]
  const older_than = ends.length > 0 ? new Date(Math.min(...ends)) : undefined
  const isByAge = query.order === 'age'
  const limit = isByAge ? pageSize + 1 : orderedMax
  const all = await Promise.all(
    kinds.flatMap((kind) =>
      states.map(async (state) => {
        const text = query.text || undefined
        const rows = await listProblems(db, {
          kind,
          state,
          stuck_before,
          older_than,
          since,
          after,
          text,
          limit,
        })
        return rows.map((row): Found => ({ row, state }))
      }),
    ),
  )
  const ordered = all.flat().toSorted((a, b) => compare(placeOf(a.row), placeOf(b.row)))
  if (!isByAge) return { found: ordered, next_cursor: null }
  const found = ordered.slice(0, pageSize)
  const last = found.at(-1)
  return { found, next_cursor: ordered.length > pageSize && last ? cursorAt(placeOf(last.row)) : null }
}

interface Place {
  readonly at: string
  readonly key: string
}

const placeOf = ({ at, kind, id }: ProblemRow): Place => ({ at, key: `${kind}:${id}` })

function compare(a: Place, b: Place): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : a.key < b.key ? -1 : 1
}

/** When it came, was begun, or stopped being up to date. */
function sinceOf(row: ProblemRow): string {
  const failed_at = row.kind === 'subscription' || row.kind === 'invitation' ? row.data.sync_failed_at : null
  return (failed_at ?? new Date(row.at)).toISOString()
}

/** The terms of the events' checkouts. */
async function findIntents(deps: Deps, found: readonly Found[]) {
  const ids = new Set(found.flatMap(({ row }) => (row.kind === 'event' ? (row.data.intent_id ?? []) : [])))
  const rows = await Promise.all([...ids].map((id) => findTimelineRow(deps.db, { kind: 'intent', id })))
  return new Map(
    rows.flatMap((row) =>
      row?.kind === 'intent'
        ? [
            [
              row.id,
              {
                credits: row.data.credits,
                money: { amount_minor: row.data.amount_minor, currency: row.data.currency },
              },
            ] as const,
          ]
        : [],
    ),
  )
}

async function findOwnersOf(
  { db }: Deps,
  found: readonly Found[],
): Promise<(row: ProblemRow) => Owner | null> {
  const namesOf = (row: ProblemRow) =>
    row.kind === 'event' ? [row.data.subject, row.data.intent_id].filter((name) => name !== null) : []
  const owners = await findOwners(
    db,
    found.flatMap(({ row }) => namesOf(row)),
  )
  return (row) => {
    switch (row.kind) {
      case 'event':
        return namesOf(row).flatMap((name) => owners.get(name) ?? [])[0] ?? null
      case 'intent':
        return row.data.owner_id === null
          ? ownerOfId(row.data.user_id)
          : { owner_kind: row.data.owner_kind, owner_id: row.data.owner_id }
      case 'subscription':
        return { owner_kind: row.data.owner_kind, owner_id: row.data.owner_id }
      case 'invitation':
        return { owner_kind: 'organization', owner_id: row.data.organization_id }
    }
  }
}

/** Null while the queue does not answer: what needs a person is in Postgres. */
async function readQueues({ producer }: Deps): Promise<WorkList['queues']> {
  try {
    return Object.entries(await producer.counts()).map(([name, counts]) => ({
      name,
      waiting: counts.waiting ?? 0,
      active: counts.active ?? 0,
      delayed: counts.delayed ?? 0,
      failed: counts.failed ?? 0,
    }))
  } catch {
    return null
  }
}

const workCursor = cursorOf(z.tuple([cursorTimeSchema, cursorKeySchema]))

function cursorAt({ at, key }: Place): string {
  return workCursor.encode([at, key])
}

function placeAt(cursor: string): Place {
  const [at, key] = workCursor.decode(cursor)
  return { at, key }
}
