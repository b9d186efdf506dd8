import {
  type ActParams,
  type ActTarget,
  type AuditEntry,
  approveSupportAct,
  cancelSupportActs,
  getAuditLog,
  getSupportActs,
  refuseSupportAct,
  requestSupportActs,
  type SupportAct,
} from '../../schema/api/support-acts.ts'
import { findHeartbeat } from '../../schema/inbox/cursors/cursors.ts'
import { freshJobId } from '../../schema/inbox/queues/producer.ts'
import { isOwnerId } from '../../schema/ledger/accounts.ts'
import { withoutAddresses } from '../../schema/mail-addresses.ts'
import { listNames } from '../../schema/people/users/users.ts'
import { cancelBatch, listActs, outcomeOf, type SupportActRow } from '../../schema/support/acts.ts'
import { type ListedEntry, listAudit, recordLook, recordLookOnce } from '../../schema/support/audit.ts'
import { type RequestedAct, requestActs } from '../../schema/support/request-act.ts'
import { maskEmail } from '../../schema/support/timeline-sources.ts'
import { hasFreshFactor } from '../../schema/vendors/clerk/tokens.ts'
import type { RequestLog, RequestOf } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { enqueue } from '../enqueue.ts'
import { actRefused, notFound, reverificationRequired } from '../errors.ts'
import { supportStaff } from '../rights.ts'
import { route } from '../route.ts'
import { decideToApprove, decideToRefuse } from '../support/decide-act.ts'
import { nameColleagues, presentOwners } from '../support/owners.ts'

type Deps = Pick<Dependencies, 'db' | 'clerk'>

export const supportActsRoutes = [
  route(requestSupportActs, { rights: supportStaff }).handle(async (asked, deps) => {
    const { body, user_id, requestLog } = asked
    const token = body.is_dry_run ? tokenOf(asked) : freshTokenOf(asked)
    const { db, clerk, now, settings } = deps
    const { claim_after_ms: claimAfterMs, act_limits: limits } = settings
    const { batch_id, requested } = await requestActs(
      { db, clerk, now, claimAfterMs, limits },
      { ...body, requested_by: user_id, token },
    )
    const accepted: SupportActRow[] = []
    let needs_approval = false
    const refused: { target: ActTarget; code: string; error: string }[] = []
    for (const one of requested) {
      if (one.outcome === 'refused') {
        const { code, error } = await refusalOf(deps, one)
        if (batch_id === null) throw actRefused(one, error)
        refused.push({ target: one.target, code, error })
        continue
      }
      accepted.push(one.act)
      needs_approval ||= one.needs_approval
      await enqueueAct(deps, requestLog, one.act)
    }
    return {
      success: true,
      data: { batch_id, needs_approval, acts: await presentActs(deps, accepted), refused },
    }
  }),

  route(getSupportActs, { rights: supportStaff }).handle(async ({ query, user_id: actor }, deps) => {
    const { id, batch_id } = query
    const waiting = { state: 'waiting_for_approval' } as const
    const rows = await listActs(deps.db, id ? { id } : batch_id ? { batch_id } : waiting)
    const target = { kind: batch_id ? 'batch' : 'act', id: id ?? batch_id ?? 'waiting' }
    const owner_id = (id ? rows[0]?.owner_id : null) ?? null
    await recordLookOnce(deps.db, { actor, what: 'acts', target, owner_id, detail: null })
    const worker = await findHeartbeat(deps.db, deps.now())
    return { success: true, data: { acts: await presentActs(deps, rows), worker } }
  }),

  route(approveSupportAct, { rights: supportStaff }).handle(async (asked, deps) => {
    const { body, user_id, requestLog } = asked
    const token = freshTokenOf(asked)
    const next_try_at = new Date(deps.now().getTime() + deps.settings.claim_after_ms)
    const decision = { ...body, decided_by: user_id, token, next_try_at }
    const act = await decideToApprove(deps, decision)
    await enqueueAct(deps, requestLog, act)
    return { success: true, data: await presentAct(deps, act) }
  }),

  route(refuseSupportAct, { rights: supportStaff }).handle(async ({ body, user_id }, deps) => {
    const { db, now } = deps
    const { id, reason } = body
    const act = await decideToRefuse(db, { id, reason, decided_by: user_id, now: now() })
    return { success: true, data: await presentAct(deps, act) }
  }),

  route(cancelSupportActs, { rights: supportStaff }).handle(async ({ body, user_id }, deps) => {
    const { db, now } = deps
    const cancellation = { batch_id: body.batch_id, cancelled_by: user_id, now: now() }
    return { success: true, data: { cancelled: await cancelBatch(db, cancellation) } }
  }),

  route(getAuditLog, { rights: supportStaff }).handle(async ({ query, user_id }, deps) => {
    const { db } = deps
    const { limit, cursor, ...filter } = query
    const rows = await listAudit(db, filter, { limit: limit + 1, before: cursor })
    const [asked] = Object.entries(filter).map(([kind, id = '']) => ({ kind, id: withoutAddresses(id) }))
    const owner_id = filter.owner_id !== undefined && isOwnerId(filter.owner_id) ? filter.owner_id : null
    await recordLook(db, { actor: user_id, what: 'audit', target: asked ?? null, owner_id, detail: null })
    const items = rows.slice(0, limit)
    const next_cursor = rows.length > limit ? (items.at(-1)?.id ?? null) : null
    return { success: true, data: { items: await presentEntries(deps, items), next_cursor } }
  }),
]

type Shown = Pick<RequestOf<typeof approveSupportAct>, 'session_token' | 'verified'>

function tokenOf({ session_token }: Shown): string {
  if (session_token === null) throw notFound()
  return session_token
}

/** What changes something needs more than a session, which may have been stolen. */
function freshTokenOf(shown: Shown): string {
  // By the real time, as Clerk's factors age.
  if (!shown.verified || !hasFreshFactor(shown.verified, new Date())) throw reverificationRequired()
  return tokenOf(shown)
}

async function enqueueAct(
  deps: Pick<Dependencies, 'producer' | 'metrics' | 'settings'>,
  requestLog: RequestLog,
  { id, state }: SupportActRow,
): Promise<void> {
  if (state !== 'queued') return
  await enqueue(deps, requestLog, { queue: 'support-acts', id: freshJobId(id), payload: { act_id: id } })
}

/** Names the colleague who was first. */
async function refusalOf(
  deps: Deps,
  { code, error, other }: Extract<RequestedAct, { outcome: 'refused' }>,
): Promise<{ code: string; error: string }> {
  if (!other) return { code, error }
  const name = (await nameColleagues(deps, [other.requested_by]))(other.requested_by)
  const until = other.state === 'queued' ? 'is being done' : 'waits for a second person'
  return { code, error: `${name} has asked for an act that contradicts this one, which ${until}` }
}

async function presentAct(deps: Deps, row: SupportActRow): Promise<SupportAct> {
  const [act] = await presentActs(deps, [row])
  if (!act) throw new Error('One act was to be presented')
  return act
}

async function presentActs(deps: Deps, rows: readonly SupportActRow[]): Promise<SupportAct[]> {
  const people = rows.flatMap(({ requested_by, approved_by, refused_by }) => [
    requested_by,
    approved_by,
    refused_by,
  ])
  const person = await personIn(deps, people)
  const present = await presentOwners(
    deps.db,
    rows.map((row) => row.owner_id),
    'whole',
  )
  // What the contract does not name is left out of the answer.
  return rows.map((row) => ({
    ...row,
    target: { kind: row.target_kind, id: row.target_id },
    owner:
      row.owner_id === null ? null : { owner_id: row.owner_id, label: present(row.owner_id)?.label ?? null },
    params: row.params as ActParams,
    requested_by: person(row.requested_by),
    requested_at: row.requested_at.toISOString(),
    approved_by: row.approved_by === null ? null : person(row.approved_by),
    refused_by: row.refused_by === null ? null : person(row.refused_by),
    outcome: outcomeOf(row),
    is_unavailable: row.is_dry_run && row.state === 'failed' && row.unavailable_since !== null,
  }))
}

async function presentEntries(deps: Deps, rows: readonly ListedEntry[]): Promise<AuditEntry[]> {
  const actorsOf = (some: readonly ListedEntry[]) => some.map(({ actor }) => actor)
  const isStranger = ({ outcome }: ListedEntry) => outcome === 'denied'
  const colleague = await personIn(deps, actorsOf(rows.filter((row) => !isStranger(row))))
  const strangers = await listNames(deps.db, actorsOf(rows.filter(isStranger)))
  // Callers without the role may be customers, so they are masked as in a list.
  const stranger = (id: string) => {
    const known = strangers.get(id)
    return { id, name: known ? (known.name ?? maskEmail(known.email)) : id }
  }
  return rows.map((row) => ({
    ...row,
    at: row.at.toISOString(),
    actor: isStranger(row) ? stranger(row.actor) : colleague(row.actor),
    batch: row.batch_id === null ? null : { id: row.batch_id, entries: row.entries },
    target: row.target_kind && row.target_id ? { kind: row.target_kind, id: row.target_id } : null,
    before: row.before as AuditEntry['before'],
    after: row.after as AuditEntry['after'],
  }))
}

async function personIn(deps: Deps, ids: readonly (string | null)[]) {
  const nameOf = await nameColleagues(deps, ids)
  return (id: string) => ({ id, name: nameOf(id) })
}
