import type { QueryOf } from '../../schema/api/endpoint.ts'
import { type getTrace, type SupportTrace, stuckAfterMs } from '../../schema/api/support.ts'
import { isOwnerId } from '../../schema/ledger/accounts.ts'
import { recordLook } from '../../schema/support/audit.ts'
import { readTimeline, type TimelineRow } from '../../schema/support/timeline.ts'
import { openCase, type Visit } from '../../schema/support/visits.ts'
import type { Dependencies } from '../dependencies.ts'
import { supportItemNotFound } from '../errors.ts'
import { askStripe } from './ask-stripe.ts'
import { readCaseSummary } from './case-summary.ts'
import { itemsOf, placeCursor } from './items.ts'
import { lookUp } from './look-up.ts'
import { nameColleagues, presentOwners, presentPerson } from './owners.ts'

type Deps = Pick<Dependencies, 'db' | 'clerk' | 'stripe' | 'producer' | 'metrics' | 'settings' | 'now'>

const pageSize = 50

/**
 * The payments and credits of one owner. The first page has the person, their state and the present visitors;
 * opening any page is a visit. An object asked for by kind and id leads to its owner, or is shown alone
 * without one, which is logged each time: there is no case that stays open.
 */
export async function readTrace(
  deps: Deps,
  query: QueryOf<typeof getTrace>,
  visitor: Parameters<typeof askStripe>[2],
): Promise<SupportTrace> {
  const now = deps.now()
  const { kind, id } = query
  const { user_id } = visitor
  const found = kind !== undefined && id !== undefined ? await lookUp(deps, { kind, id }) : undefined
  if (found && found.length === 0 && query.owner === undefined) throw supportItemNotFound()
  const owner_id =
    query.owner === undefined ? (found?.[0]?.owner_id ?? null) : isOwnerId(query.owner) ? query.owner : null
  const hit = found?.find((one) => one.owner_id === owner_id)
  const highlighted = hit?.item ?? null
  const present = await presentOwners(deps.db, [owner_id], 'masked')
  const nothing = { person: null, case_summary: null, visitors: [], next_cursor: null }
  const as_of = now.toISOString()
  const namesOf = async (rows: readonly TimelineRow[], visitors: readonly Visit[] = []) => {
    const actors = [...actorsOf(rows), ...visitors.map((visit) => visit.user_id)]
    const nameOf = await nameColleagues(deps, actors)
    return Object.fromEntries(actors.map((actor) => [actor, nameOf(actor)]))
  }
  if (!owner_id) {
    const target = hit && { kind: hit.kind, id: hit.id }
    const detail = 'Opened an object that belongs to no customer'
    if (target) await recordLook(deps.db, { actor: user_id, what: 'open_case', target, detail })
    const names = await namesOf(hit?.row ? [hit.row] : [])
    return { owner: null, ...nothing, highlighted, timeline: highlighted ? [highlighted] : [], names, as_of }
  }
  const others = await openCase(deps.db, { owner_id, user_id, now })
  const before = query.cursor === undefined ? undefined : placeCursor.decode(query.cursor)
  const page = await readTimeline(deps.db, owner_id, {
    limit: pageSize,
    before,
    hold_id: hit?.kind === 'hold' ? hit.id : undefined,
    now,
  })
  const shown = {
    owner: present(owner_id),
    highlighted,
    timeline: page.rows.flatMap((row) => itemsOf(row, deps.settings)),
    names: await namesOf([...page.rows, ...(hit?.row ? [hit.row] : [])], others),
    next_cursor: page.next && placeCursor.encode(page.next),
    as_of,
  }
  if (before) return { ...nothing, ...shown }
  await askStripe(deps, owner_id, visitor)
  const stuck_before = new Date(now.getTime() - stuckAfterMs)
  const [person, case_summary] = await Promise.all([
    presentPerson(deps, owner_id),
    deps.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((trx) => readCaseSummary(trx, owner_id, { settings: deps.settings, now, stuck_before })),
  ])
  const visitors = others.map((visit) => ({ user_id: visit.user_id, since: visit.began_at.toISOString() }))
  return { ...shown, person, case_summary, visitors }
}

/** Who is named: usage is by the owner's own people. */
function actorsOf(rows: readonly TimelineRow[]): string[] {
  return rows.flatMap(({ kind, data }) => {
    if (kind === 'act') return [data.requested_by, ...(data.approved_by ? [data.approved_by] : [])]
    return kind === 'transfer' && data.kind !== 'usage' ? [data.actor] : []
  })
}
