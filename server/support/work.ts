import type { QueryOf } from '../../schema/api/endpoint.ts'
import {
  type listWork,
  moneySchema,
  stuckAfterMs,
  type WorkList,
  type WorkRow,
  type WorkState,
  workKinds,
} from '../../schema/api/support.ts'
import { findOldestUnapplied } from '../../schema/inbox/backlog.ts'
import { findCursor } from '../../schema/inbox/cursors/cursors.ts'
import { findOwners } from '../../schema/support/owners.ts'
import { countProblems, listProblems, type ProblemRow } from '../../schema/support/problems.ts'
import { findIntentRows, type Place, placeOf, type TimelineRow } from '../../schema/support/timeline.ts'
import type { Dependencies } from '../dependencies.ts'
import { itemOf, placeCursor } from './items.ts'
import { presentOwners } from './owners.ts'

type Deps = Pick<Dependencies, 'db' | 'clerk' | 'stripe' | 'producer' | 'settings' | 'now'>
type Query = QueryOf<typeof listWork>

const pageSize = 50
/** The number of rows read of each kind when they are ordered by money. */
const orderedMax = 200
const countedMax = 1000

interface Found {
  readonly row: ProblemRow
  readonly state: WorkState
}

export async function readWork(deps: Deps, query: Query): Promise<WorkList> {
  const now = deps.now()
  const stuck_before = new Date(now.getTime() - stuckAfterMs)
  const [{ found, next_cursor }, counts, queues, oldest, list] = await Promise.all([
    findWork(deps, query, { now, stuck_before }),
    countProblems(deps.db, { stuck_before, limit: countedMax + 1 }),
    readQueues(deps),
    findOldestUnapplied(deps.db),
    findCursor(deps.db, 'stripe_events'),
  ])
  const intents = await findIntentRows(
    deps.db,
    found.map(({ row }) => (row.kind === 'event' ? row.data.intent_id : null)),
  )
  const owners = await findOwners(
    deps.db,
    found.flatMap(({ row }) => row.names),
  )
  const ownerOf = ({ names }: ProblemRow) => names.map((name) => owners.get(name)).find(Boolean) ?? null
  const present = await presentOwners(
    deps.db,
    found.map(({ row }) => ownerOf(row)),
    'whole',
  )
  const rows = found.map(
    ({ row, state }): WorkRow => ({
      item: itemOf(row, deps.settings),
      state,
      owner: present(ownerOf(row)),
      since: sinceOf(row),
      ...stakeOf(row, intents),
    }),
  )
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
    stripe_listed_at: list?.completed_at?.toISOString() ?? null,
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
  const states: readonly WorkState[] = query.state ? [query.state] : ['failed', 'stuck']
  const after = query.cursor === undefined ? undefined : placeCursor.decode(query.cursor)
  const text = query.text || undefined
  const isByAge = query.order === 'age'
  const { from, older_than_minutes: minutes } = query
  const ends = minutes === undefined ? [] : [new Date(now.getTime() - minutes * 60_000).toISOString()]
  const to = [...ends, ...(query.to === undefined ? [] : [query.to])].toSorted()[0]
  const filter = { stuck_before, from, to, after, text, limit: isByAge ? pageSize + 1 : orderedMax }
  const all = await Promise.all(
    kinds.flatMap((kind) =>
      states.map(async (state) => {
        const rows = await listProblems(db, { kind, state, ...filter })
        return rows.map((row): Found => ({ row, state }))
      }),
    ),
  )
  const ordered = all.flat().toSorted((a, b) => compare(placeOf(a.row), placeOf(b.row)))
  if (!isByAge) return { found: ordered, next_cursor: null }
  const found = ordered.slice(0, pageSize)
  const last = found.at(-1)
  return {
    found,
    next_cursor: ordered.length > pageSize && last ? placeCursor.encode(placeOf(last.row)) : null,
  }
}

function compare(a: Place, b: Place): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : a.key < b.key ? -1 : 1
}

/** When it came, was begun, or stopped being up to date. */
function sinceOf(row: ProblemRow): string {
  const failed_at = row.kind === 'subscription' || row.kind === 'invitation' ? row.data.sync_failed_at : null
  return new Date(failed_at ?? row.at).toISOString()
}

/** The money and credits at stake: of an event those of its checkout, where it says none itself. */
function stakeOf(
  row: ProblemRow,
  intents: ReadonlyMap<string, TimelineRow<'intent'>>,
): Pick<WorkRow, 'money' | 'credits'> {
  if (row.kind === 'invitation') return { money: null, credits: null }
  if (row.kind === 'subscription')
    return { money: null, credits: row.data.credits_per_seat * row.data.seats_total }
  const intent = row.kind === 'intent' ? row : intents.get(row.data.intent_id ?? '')
  const money = moneySchema.safeParse(row.data).data ?? moneySchema.safeParse(intent?.data).data ?? null
  return { money, credits: intent?.data.credits ?? null }
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
