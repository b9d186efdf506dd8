import { z } from 'zod'
import type { QueryOf } from '../../schema/api/endpoint.ts'
import type { CaseSummary, getTrace, SupportTrace, TraceItem } from '../../schema/api/support.ts'
import { ownerOfId } from '../../schema/ledger/accounts.ts'
import { recordLook } from '../../schema/support/audit.ts'
import { readTimeline, type TimelineCursor } from '../../schema/support/timeline.ts'
import { openCase } from '../../schema/support/visits.ts'
import { cursorKeySchema, cursorOf, cursorTimeSchema } from '../cursor.ts'
import type { Dependencies } from '../dependencies.ts'
import { supportItemNotFound } from '../errors.ts'
import { readCaseSummary } from './case-summary.ts'
import { nameColleagues } from './colleagues.ts'
import { openLinks } from './links.ts'
import { lookUp } from './look-up.ts'
import { presentOwners, presentPerson, presentVisitors } from './owners.ts'
import { actorsOf, type PresentOptions, presentRow } from './trace-items.ts'

type Deps = Pick<Dependencies, 'db' | 'clerk' | 'stripe' | 'producer' | 'settings' | 'now'>

/** An unprocessed event of this age is stuck; the claim retries what waits for longer than a minute. */
const stuckAfterMs = 2 * 60_000

export function presentOptions({ settings, now }: Pick<Dependencies, 'settings' | 'now'>): PresentOptions {
  const at = now()
  return {
    links: openLinks(settings),
    now: at,
    stuck_before: new Date(at.getTime() - stuckAfterMs),
    // The caller replaces it when acts or transfers need names (colleagues.ts).
    nameOf: (id) => id,
  }
}

const pageSize = 50

/**
 * The payments and credits of one owner. The first page has the person, their state and the present visitors;
 * opening any page is a visit. An object asked for by kind and id leads to its owner, or is shown alone
 * without one, which is logged each time: there is no case that stays open.
 */
export async function readTrace(
  deps: Deps,
  query: QueryOf<typeof getTrace>,
  { user_id }: { readonly user_id: string },
): Promise<SupportTrace> {
  const options = presentOptions(deps)
  const { kind, id } = query
  const found = kind !== undefined && id !== undefined ? await lookUp(deps, { kind, id }, options) : undefined
  if (found && found.length === 0 && query.owner === undefined) throw supportItemNotFound()
  const owner = query.owner === undefined ? (found?.[0]?.owner ?? null) : ownerOfId(query.owner)
  const hit = found?.find((one) => one.owner?.owner_id === owner?.owner_id)
  const highlighted = hit?.item ?? null
  const present = await presentOwners(deps.db, [owner])
  const nothing = { person: null, case_summary: null, visitors: [], next_cursor: null }
  if (!owner) {
    const target = hit && { kind: hit.kind, id: hit.id }
    const detail = 'Opened an object that belongs to no customer'
    if (target) await recordLook(deps.db, { actor: user_id, what: 'open_case', target, detail })
    return { owner: null, ...nothing, highlighted, timeline: highlighted ? [highlighted] : [] }
  }
  const others = await openCase(deps.db, { owner, user_id, now: options.now })
  const before = query.cursor === undefined ? undefined : placeOf(query.cursor)
  const page = await readTimeline(deps.db, owner, {
    limit: pageSize,
    before,
    with_usage: query.usage === 'shown',
    hold_id: hit?.kind === 'hold' ? hit.id : undefined,
    now: options.now,
  })
  const nameOf = await nameColleagues(deps, actorsOf(page.rows))
  const timeline = page.rows.flatMap((row): TraceItem[] => presentRow(row, { ...options, nameOf }))
  const next_cursor = page.next && cursorAt(page.next)
  if (before) return { owner: present(owner), ...nothing, highlighted, timeline, next_cursor }
  const [person, case_summary] = await Promise.all([
    presentPerson(deps, owner, options.links),
    deps.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((trx) => readCaseSummary(trx, owner, options)),
  ])
  return {
    owner: present(owner),
    person,
    case_summary,
    visitors: await presentVisitors(deps, others),
    highlighted,
    timeline: timeline.map((item) => markUnfinished(item, case_summary)),
    next_cursor,
  }
}

/** A checkout's row waits for a payment although an event that failed to apply says it was paid. */
function markUnfinished(item: TraceItem, { grants }: CaseSummary): TraceItem {
  const isMissing = grants.some(
    ({ item_key, credits }) =>
      credits.should > credits.is && (item_key === item.key || item_key === item.caused_by[0]),
  )
  if (!isMissing || item.level !== 'waiting') return item
  const detail = 'Paid at Stripe; the credits have not been posted yet.'
  return { ...item, level: 'problem', detail }
}

const timelineCursor = cursorOf(z.tuple([cursorTimeSchema, cursorKeySchema, z.int().nullable()]))

function cursorAt({ at, key, usage_before }: TimelineCursor): string {
  return timelineCursor.encode([at, key, usage_before])
}

function placeOf(cursor: string): TimelineCursor {
  const [at, key, usage_before] = timelineCursor.decode(cursor)
  return { at, key, usage_before }
}
