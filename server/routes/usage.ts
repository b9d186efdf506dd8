import { type Editors, editorOfScheme } from '../../schema/api/redirect-uri.ts'
import { getUsageReport, type UsageGroup, type UsageRow, usageColumns } from '../../schema/api/usage.ts'
import type { ReadDatabase } from '../../schema/database/connect.ts'
import { findEditors, isActive, type ListedToken } from '../../schema/extension/tokens.ts'
import {
  sumUsageDays,
  type UsageKey,
  type UsageSelection,
  type UsageRow as UsageSum,
  type UsageSums,
} from '../../schema/ledger/read/usage-days.ts'
import { listNames } from '../../schema/people/users/users.ts'
import { csvLine } from '../csv.ts'
import { rowsFailure } from '../failures.ts'
import { addDays } from '../local-days.ts'
import { thePayer } from '../rights.ts'
import { route } from '../route.ts'
import { TextFile } from '../text-file.ts'

export const usageRoutes = [
  // As for people: what colleagues used is for admins.
  route(getUsageReport, {
    rights: thePayer(),
    failure: rowsFailure('Failed to load usage'),
  }).handle(async ({ query, owner_id, member, may_manage }, { db, now, settings }) => {
    const { from, to, group_by, format } = query
    const selection = { owner_id, from, to, ...(member && !may_manage && { actor: member.user_id }) }
    const naming = { group_by, editors: settings.editors, now: now() }
    if (format === 'csv') return new TextFile(`usage-${from}-${to}.csv`, csvOf(db, selection, naming))
    const limit = group_by === 'day' ? null : largestGroups
    const { rows, total } = await sumUsageDays(db, selection, { by: columnsOf[group_by], limit })
    const labelOf = await labels(db, rows, naming)
    const named = rows.map(({ requests, failed, credits, ...key }) => ({
      ...labelOf(key),
      requests,
      failed,
      credits,
    }))
    return { success: true, data: { group_by, rows: withRest(named, total), total } }
  }),
]

const largestGroups = 100

const columnsOf: Readonly<Record<UsageGroup, readonly (keyof UsageKey)[]>> = {
  day: ['day'],
  model: ['model'],
  project: ['project'],
  // A token is looked up by its person.
  editor: ['actor', 'token_id'],
  person: ['actor'],
}

/** The ledger's name for what is above a thousand combinations a day. */
const beyond = 'other'
const other = { id: null, label: 'Other', note: 'Everything not listed' }

/** Adds what is below the largest groups to the row of what the ledger has no groups of. */
function withRest(rows: readonly UsageRow[], total: UsageSums): UsageRow[] {
  const grouped = rows.filter(({ label, id }) => label !== other.label || id !== null)
  const restOf = (of: keyof UsageSums) => grouped.reduce((rest, row) => rest - row[of], total[of])
  const rest = {
    ...other,
    requests: restOf('requests'),
    failed: restOf('failed'),
    credits: restOf('credits'),
  }
  // What is above a hold has credits, and its request was counted with the hold, maybe on an earlier day.
  return rest.requests === 0 && rest.credits === 0 ? grouped : [...grouped, rest]
}

type Label = Pick<UsageRow, 'id' | 'label' | 'note'>

interface Naming {
  readonly group_by: UsageGroup
  readonly editors: Editors
  readonly now: Date
}

/** What groups are called. People and editors are looked up together. */
async function labels(
  db: ReadDatabase,
  keys: readonly UsageKey[],
  { group_by, editors: known, now }: Naming,
): Promise<(key: UsageKey) => Label> {
  if (group_by === 'day') return ({ day = '' }) => ({ id: day, label: day, note: null })
  if (group_by === 'model') return ({ model = null }) => labelled(model, 'No model')
  if (group_by === 'project') return ({ project = null }) => labelled(project, 'No project')
  const people = await listNames(
    db,
    keys.flatMap(({ actor }) => actor ?? []),
  )
  const personOf = (actor = '') => {
    const { name, email } = people.get(actor) ?? { name: null, email: null }
    return { id: actor, label: name ?? email ?? 'Deleted user', note: name === null ? null : email }
  }
  if (group_by === 'person') return ({ actor }) => personOf(actor)
  const editors = await findEditors(
    db,
    keys.flatMap(({ actor, token_id }) => (actor && token_id ? [{ user_id: actor, id: token_id }] : [])),
  )
  return ({ actor, token_id = null }) => ({
    id: token_id,
    label: editorLabel(token_id, editors.get(token_id ?? ''), { known, now }),
    note: personOf(actor).label,
  })
}

function labelled(text: string | null, none: string): Label {
  if (text === beyond) return other
  return { id: text, label: text ?? none, note: null }
}

function editorLabel(
  id: string | null,
  token: ListedToken | undefined,
  { known, now }: { readonly known: Editors; readonly now: Date },
): string {
  if (id === null) return 'Unknown editor'
  if (!token) return 'Signed-out editor'
  const { scheme, editor_name } = token
  const ended = !isActive(token, now)
  if (scheme === null) return ended ? 'Generated token (ended)' : 'Generated token'
  const name = editor_name ?? editorOfScheme(scheme, known) ?? 'A program on a computer'
  return ended ? `${name} (signed out)` : name
}

/** Days that are read at once: at most a thousand combinations each, and one for each editor. */
const daysAtOnce = 7

/** Reads a week when the one before it has been sent, the latest first. */
async function* csvOf(
  db: ReadDatabase,
  { from, to, ...asked }: UsageSelection,
  naming: Naming,
): AsyncGenerator<string> {
  const { group_by } = naming
  let head = csvLine(usageColumns[group_by])
  for (let last = to; last >= from; last = addDays(last, -daysAtOnce)) {
    const week = addDays(last, 1 - daysAtOnce)
    const selection = { ...asked, from: week > from ? week : from, to: last }
    const { rows } = await sumUsageDays(db, selection, {
      by: [...new Set<keyof UsageKey>(['day', ...columnsOf[group_by]])],
    })
    const labelOf = await labels(db, rows, naming)
    yield head + rows.map((row) => csvLine(cellsOf(row, labelOf(row), group_by))).join('')
    head = ''
  }
}

function cellsOf(
  { day = '', requests, failed, credits }: UsageSum,
  { id, label, note }: Label,
  group_by: UsageGroup,
) {
  const isLookedUp = group_by === 'editor' || group_by === 'person'
  const group = group_by === 'day' ? [] : isLookedUp ? [label, note, id] : [label]
  return [day, ...group, requests, failed, credits]
}
