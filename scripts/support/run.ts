import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { workKinds, workStates } from '../../schema/api/support.ts'
import {
  type ActKind,
  type ActParams,
  type ActTarget,
  type AuditEntry,
  actKinds,
  actOf,
  maximumTargets,
  parseParams,
  targetKinds,
} from '../../schema/api/support-acts.ts'
import type { Database } from '../../schema/database/connect.ts'
import { isOwnerId } from '../../schema/ledger/accounts.ts'
import { findAct, listActs, outcomeOf, type SupportActRow, targetOf } from '../../schema/support/acts.ts'
import { listAudit } from '../../schema/support/audit.ts'
import { requestActs } from '../../schema/support/request-act.ts'
import type { Dependencies } from '../../server/dependencies.ts'
import { decideToRefuse } from '../../server/support/decide-act.ts'
import { search } from '../../server/support/search.ts'
import { readTrace } from '../../server/support/trace.ts'
import { readWork } from '../../server/support/work.ts'
import { actWords, entryText, outcomeText, readMoney } from '../../web/content/support/acts.ts'
import { inOneSentence, noticesOf, problemsOf } from '../../web/content/support/case.ts'
import { reasonText } from '../../web/content/support/failures.ts'
import { describeItem, titleOf } from '../../web/content/support/timeline.ts'
import type { WorkerDependencies } from '../../worker/dependencies.ts'
import { processSupportAct } from '../../worker/support/support-act.ts'

const commandOf = (kind: ActKind) => kind.replaceAll('_', '-')

export const usage = `npm run support -- COMMAND [--json]

  search TEXT                 find a customer by an e-mail address or any id
  trace TEXT                  their payments and credits, with the expected state
  list [--state STATE] [--kind KIND]   ${workStates.join(', ')}; ${workKinds.join(', ')}
  waiting, refuse ID --reason TEXT   what waits for a second person
  audit OWNER                 what colleagues did with a customer
  ACT TARGET…                 evt_…, sub_…, ch_…, user_…, org_…, or kind:id, e.g. intent:…

${actKinds.map((kind) => `  ${commandOf(kind).padEnd(20)}${actWords[kind].description}`).join('\n')}

An act needs --reason TEXT, unless it is a --dry-run. adjust needs --credits=N and --note TEXT, and has
--may-leave-debt; refund needs --amount=5.00, in --currency=EUR, and --refunded=2.00 of what was refunded
before. What needs a second person is approved at /support.
`

/** What server and worker are given; see `withWorkerDependencies`. */
export interface OpenProduct {
  readonly server: Dependencies
  readonly worker: WorkerDependencies
  /** The login that owns the tables: it alone can ask for an act without a session. */
  readonly owner: Database
}

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What a command found or did, for programs and for people. */
interface Report {
  readonly json: unknown
  readonly lines: readonly string[]
  /** False when something was refused or failed. */
  readonly ok: boolean
}

type Options = ReturnType<typeof parseCommand>['values']

function parseCommand(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      'may-leave-debt': { type: 'boolean', default: false },
      reason: { type: 'string', default: '' },
      credits: { type: 'string' },
      note: { type: 'string' },
      amount: { type: 'string' },
      currency: { type: 'string', default: 'EUR' },
      refunded: { type: 'string', default: '0' },
      state: { type: 'string' },
      kind: { type: 'string' },
    },
  })
}

/** Runs one command and returns what the process ends with. Throws UsageError when it is not understood. */
export async function runSupport(
  product: OpenProduct,
  argv: readonly string[],
  { actor, say }: { readonly actor: string; readonly say: (line: string) => void },
): Promise<0 | 1> {
  const { values, positionals } = parsed(argv)
  const [name = '', ...args] = positionals
  const report = await run(product, name, { args, options: values, actor })
  if (values.json) say(JSON.stringify(report.json, null, 2))
  else for (const line of report.lines) say(line)
  return report.ok ? 0 : 1
}

function parsed(argv: readonly string[]): ReturnType<typeof parseCommand> {
  try {
    return parseCommand(argv)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

interface Asked {
  readonly args: readonly string[]
  readonly options: Options
  readonly actor: string
}

function run(product: OpenProduct, name: string, asked: Asked): Promise<Report> {
  if (name === 'search') return find(product, only(asked.args))
  if (name === 'trace') return trace(product, only(asked.args), asked.actor)
  if (name === 'list') return list(product, asked)
  if (name === 'waiting') return waiting(product)
  if (name === 'refuse') return refuse(product, only(asked.args), asked)
  if (name === 'audit') return audit(product, only(asked.args))
  const kind = actKinds.find((known) => commandOf(known) === name)
  if (!kind) throw new UsageError(name ? `There is no command ${name}` : 'Which command?')
  return act(product, kind, asked)
}

async function find({ server }: OpenProduct, text: string): Promise<Report> {
  const { recognized_as, matches, as_of } = await search(server, text)
  const lines = matches.map(
    (match) => `${match.kind} ${match.id}  ${titleOf(match, { as_of })}  ${match.owner?.id ?? '–'}`,
  )
  const ok = lines.length > 0
  return { json: { recognized_as, matches }, lines: ok ? lines : ['Nothing found'], ok }
}

async function trace({ server }: OpenProduct, text: string, actor: string): Promise<Report> {
  const owner = await findOwnerId(server, text)
  const found = await readTrace(server, { owner }, { user_id: actor })
  const { case_summary: summary } = found
  const problems = summary ? problemsOf(summary, owner) : []
  const { is, should } = summary?.balance.total ?? { is: 0, should: 0 }
  const lines = [
    `${owner}: ${summary ? inOneSentence(problems, summary, noticesOf(summary, owner)) : 'nothing is known'}`,
    `balance ${is}, should be ${should}`,
    ...problems.map(({ sentence }) => `! ${sentence}`),
    ...found.timeline.map((item) => {
      const { state, title, error } = describeItem(item, found)
      return lineOf(item.at, item.kind, item.id, state, title, error)
    }),
  ]
  return { json: found, lines, ok: summary?.agrees ?? true }
}

/** By the owner's id, or by any id that leads to one. */
async function findOwnerId(server: Dependencies, text: string): Promise<string> {
  if (isOwnerId(text)) return text
  const { matches } = await search(server, text)
  const [owner, ...others] = new Set(matches.flatMap((match) => match.owner?.id ?? []))
  if (!owner) throw new UsageError(`No customer matches ${text}`)
  if (others.length > 0)
    throw new UsageError(`Several are found by ${text}: ${[owner, ...others].join(', ')}`)
  return owner
}

async function list({ server }: OpenProduct, { args, options }: Asked): Promise<Report> {
  if (args.length > 0) throw new UsageError(`list takes nothing more: ${args.join(' ')}`)
  const kind = oneOf(workKinds, options.kind)
  const state = oneOf(workStates, options.state)
  const work = await readWork(server, { order: 'age', ...(kind && { kind }), ...(state && { state }) })
  const lines = work.rows.map(({ item, since, state: is, owner }) => {
    const { title, error } = describeItem(item, work)
    return lineOf(since, is, `${item.kind}:${item.id}`, owner?.id ?? '–', title, error)
  })
  return { json: work, lines: lines.length > 0 ? lines : ['Nothing needs a person'], ok: true }
}

async function waiting({ server }: OpenProduct): Promise<Report> {
  const rows = await listActs(server.db, { state: 'waiting_for_approval' })
  const lines = rows.map((row) =>
    lineOf(row.id, nameOf(row), `asked for by ${row.requested_by}: ${row.reason}`),
  )
  return { json: rows, lines: lines.length > 0 ? lines : ['Nothing waits'], ok: true }
}

async function refuse({ server }: OpenProduct, id: string, { actor, options }: Asked): Promise<Report> {
  if (!z.uuid().safeParse(id).success) throw new UsageError(`An act has a UUID, not ${id}`)
  const decision = { id, decided_by: actor, now: server.now(), reason: options.reason }
  const row = await decideToRefuse(server.db, decision)
  return { json: row, lines: [`${nameOf(row)}: refused`], ok: true }
}

async function audit({ server }: OpenProduct, owner_id: string): Promise<Report> {
  if (!isOwnerId(owner_id)) throw new UsageError('An owner is user_… or org_…')
  const entries = await listAudit(server.db, { owner_id }, { limit: 100 })
  const lines = entries.map((entry) =>
    lineOf(
      entry.at.toISOString(),
      entry.actor,
      entry.what,
      entry.outcome,
      entryText(entry as unknown as AuditEntry),
    ),
  )
  return { json: entries, lines: lines.length > 0 ? lines : ['Nothing was done'], ok: true }
}

function oneOf<Name extends string>(names: readonly Name[], text: string | undefined): Name | undefined {
  const found = names.find((name) => name === text)
  if (text !== undefined && !found) throw new UsageError(`${text} is none of ${names.join(', ')}`)
  return found
}

function lineOf(...parts: readonly (string | null | undefined)[]): string {
  return parts
    .map((part) => part ?? '')
    .join('  ')
    .trimEnd()
}

/**
 * Requests an act on each target; it is done at once or waits for approval. Failures do not stop the rest.
 */
async function act(
  { server, worker, owner }: OpenProduct,
  kind: ActKind,
  { args, options, actor }: Asked,
): Promise<Report> {
  const targets = args.map((text) => targetNamed(kind, text))
  const isOne = kind === 'forget'
  if (targets.length === 0) throw new UsageError(`${commandOf(kind)} needs a target`)
  if (targets.length > (isOne ? 1 : maximumTargets)) throw new UsageError('So many at once are not possible')
  const params = paramsNamed(kind, options)
  const { clerk, now, settings } = server
  const { claim_after_ms: claimAfterMs, act_limits: limits } = settings
  const { requested } = await requestActs(
    { db: owner, clerk, now, claimAfterMs, limits },
    {
      id: randomUUID(),
      kind,
      targets,
      params,
      reason: options.reason.trim(),
      is_dry_run: options['dry-run'],
      requested_by: actor,
      token: null,
    },
  )
  const refused = requested.filter((one) => one.outcome === 'refused')
  const done: SupportActRow[] = []
  for (const one of requested) {
    if (one.outcome === 'refused') continue
    // When Stripe or Clerk is away it waits, and the worker's claim does it.
    await processSupportAct(worker, { act_id: one.act.id }).catch(() => undefined)
    done.push((await findAct(server.db, one.act.id)) ?? one.act)
  }
  return {
    json: { acts: done.map((row) => ({ ...row, target: targetOf(row), outcome: outcomeOf(row) })), refused },
    lines: [
      ...done.map((row) => `${nameOf(row)}: ${sentenceOf(row)}`),
      ...refused.map(({ target, error }) => `${target.kind}:${target.id}: refused. ${error}.`),
    ],
    ok: refused.length === 0 && done.every(({ state }) => state !== 'failed'),
  }
}

const kindsByPrefix = [
  [/^(evt|msg)_/, 'event'],
  [/^sub_/, 'subscription'],
  [/^(ch|py)_/, 'charge'],
  [/^orginv_/, 'invitation'],
  [/^user_/, 'user'],
  [/^org_/, 'organization'],
] as const

/** The target named by `evt_…`, `intent:…` and the like; a bare UUID is of the first kind that it can be. */
function targetNamed(act: ActKind, text: string): ActTarget {
  const [, prefix, rest] = /^([a-z]+):(.+)$/.exec(text) ?? []
  const named = targetKinds.find((kind) => kind === prefix)
  if (named && rest) return { kind: named, id: rest }
  const on = actOf(act)?.on ?? []
  const kind =
    kindsByPrefix.find(([form]) => form.test(text))?.[1] ??
    on.find((possible) => ['intent', 'invitation', 'hold'].includes(possible))
  if (!kind || !on.includes(kind))
    throw new UsageError(`${commandOf(act)} is for ${on.join(', ')}, not ${text}`)
  return { kind, id: text }
}

function paramsNamed(kind: ActKind, options: Options): ActParams {
  const { credits, note, 'may-leave-debt': may_leave_debt, amount, currency, refunded } = options
  const adjustment = { credits: Number(credits), customer_note: note, may_leave_debt }
  const [amount_minor, refunded_minor] = [amount ?? '', refunded].map(readMoney)
  const refund = { amount_minor, currency, refunded_minor, stripe_reason: null }
  const said = {
    ...((credits !== undefined || note !== undefined) && { adjustment }),
    ...(amount !== undefined && { refund }),
  }
  const params = parseParams({ kind, params: said })
  if (params.success) return params.data
  throw new UsageError(
    'adjust, and no other act, needs --credits=N, a whole number that is not zero, and --note TEXT, which the customer reads; refund needs --amount=5.00, and has --currency and --refunded',
  )
}

function nameOf({ kind, target_kind, target_id, is_dry_run }: SupportActRow): string {
  return `${is_dry_run ? 'dry run of ' : ''}${kind} ${target_kind}:${target_id}`
}

function sentenceOf(row: SupportActRow): string {
  const outcome = outcomeOf(row)
  if (outcome) return outcomeText(row.kind, outcome)
  if (row.state === 'waiting_for_approval')
    return `waits for a second person, who approves ${row.id} at /support`
  if (row.state === 'queued')
    return `waits, and a worker tries it again. ${reasonText(row.last_error ?? '')}`.trimEnd()
  return `${row.state}. ${reasonText(row.error ?? '')}`
}

function only(args: readonly string[]): string {
  const [arg, ...others] = args
  if (arg === undefined || others.length > 0) throw new UsageError('The command takes one thing')
  return arg
}
