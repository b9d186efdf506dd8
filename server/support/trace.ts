import { z } from 'zod'
import type { QueryOf } from '../../schema/api/endpoint.ts'
import type { CaseSummary, getTrace, SupportTrace, TraceItem } from '../../schema/api/support.ts'
import { type Owner, ownerOfId } from '../../schema/ledger/accounts.ts'
import { readTimeline, type TimelineCursor } from '../../schema/support/timeline.ts'
import { recordVisit } from '../../schema/support/visits.ts'
import { cursorOf, cursorTimeSchema } from '../cursor.ts'
import type { Dependencies } from '../dependencies.ts'
import { supportItemNotFound } from '../errors.ts'
import { readCaseSummary } from './case-summary.ts'
import { nameColleagues } from './colleagues.ts'
import { openLinks } from './links.ts'
import { lookUp } from './look-up.ts'
import { presentOwners, presentPerson, presentVisitors } from './owners.ts'
import { actorsOf, type PresentOptions, presentRow } from './trace-items.ts'

type Deps = Pick<Dependencies, 'db' | 'clerk' | 'stripe' | 'producer' | 'settings' | 'now'>

/** An event that came so long ago and that nobody has tried is stuck; the sweep tries what waits for longer than a minute. */
const stuckAfterMs = 2 * 60_000

export function presentOptions({ settings, now }: Pick<Dependencies, 'settings' | 'now'>): PresentOptions {
  const at = now()
  return {
    links: openLinks(settings),
    now: at,
    stuck_before: new Date(at.getTime() - stuckAfterMs),
    // Whoever reads acts or transfers has their people named (colleagues.ts).
    nameOf: (id) => id,
  }
}

const pageSize = 50

/**
 * Everything that became of one owner's money. The first page says who it is, how they stand and who else has the case open; opening it is
 * a visit. What is asked for by kind and id leads to its owner, or is shown alone when it has none.
 */
export async function readTrace(
  deps: Deps,
  query: QueryOf<typeof getTrace>,
  { user_id }: { readonly user_id: string },
): Promise<SupportTrace & { readonly opened: Owner | null }> {
  const options = presentOptions(deps)
  const { kind, id } = query
  const found = kind !== undefined && id !== undefined ? await lookUp(deps, { kind, id }, options) : undefined
  if (found && found.length === 0 && query.owner === undefined) throw supportItemNotFound()
  const owner = query.owner === undefined ? (found?.[0]?.owner ?? null) : ownerOfId(query.owner)
  const highlighted = found?.find((hit) => hit.owner?.owner_id === owner?.owner_id)?.item ?? null
  const present = await presentOwners(deps.db, [owner])
  const nothing = { person: null, standing: null, visitors: [], next_cursor: null, opened: null }
  if (!owner) {
    return { owner: null, ...nothing, highlighted, timeline: highlighted ? [highlighted] : [] }
  }
  const before = query.cursor === undefined ? undefined : placeOf(query.cursor)
  const page = await readTimeline(deps.db, owner, {
    limit: pageSize,
    before,
    with_usage: query.usage === 'shown',
  })
  const nameOf = await nameColleagues(deps, actorsOf(page.rows))
  const timeline = page.rows.flatMap((row): TraceItem[] => presentRow(row, { ...options, nameOf }))
  const next_cursor = page.next && cursorAt(page.next)
  if (before) return { owner: present(owner), ...nothing, highlighted, timeline, next_cursor }
  const [person, standing, visit] = await Promise.all([
    presentPerson(deps, owner, options.links),
    deps.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((trx) => readCaseSummary(trx, owner, options)),
    recordVisit(deps.db, { owner_id: owner.owner_id, user_id, now: options.now }),
  ])
  return {
    owner: present(owner),
    person,
    standing,
    visitors: await presentVisitors(deps, visit.others),
    highlighted,
    timeline: timeline.map((item) => markUnsettled(item, standing)),
    next_cursor,
    opened: visit.is_new ? owner : null,
  }
}

/** The row of a checkout waits for a payment; that it was paid is known from an event which could not be applied. */
function markUnsettled(item: TraceItem, { grants }: CaseSummary): TraceItem {
  const isMissing = grants.some(
    ({ item_key, credits }) =>
      credits.should > credits.is && (item_key === item.key || item_key === item.caused_by[0]),
  )
  if (!isMissing || item.level !== 'waiting') return item
  const detail = 'It was paid at Stripe, and what it brings is not here yet.'
  return { ...item, level: 'problem', detail }
}

const timelineCursor = cursorOf(z.tuple([cursorTimeSchema, z.string().max(300), z.int().nullable()]))

function cursorAt({ at, key, usage_before }: TimelineCursor): string {
  return timelineCursor.encode([at, key, usage_before])
}

function placeOf(cursor: string): TimelineCursor {
  const [at, key, usage_before] = timelineCursor.decode(cursor)
  return { at, key, usage_before }
}
