import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import {
  type ActKind,
  type ActTarget,
  type Adjustment,
  adjustmentSchema,
  maximumTargets,
} from '../../schema/api/support-acts.ts'
import { isOwnerId } from '../../schema/ledger/accounts.ts'
import { findAct, listActs, type SupportActRow } from '../../schema/support/acts.ts'
import { listAudit } from '../../schema/support/audit.ts'
import { type DecidedAct, decideToRefuse } from '../../schema/support/decide-act.ts'
import { idInBatch, requestAct } from '../../schema/support/request-act.ts'
import { search } from '../../server/support/search.ts'
import { readTrace } from '../../server/support/trace.ts'
import { readWork } from '../../server/support/work.ts'
import { inOneSentence, problemsOf } from '../../web/content/support/case.ts'
import { tell, titleOf } from '../../web/content/support/timeline.ts'
import { processSupportAct } from '../../worker/support/support-act.ts'
import {
  actNamed,
  findOwnerId,
  knownTarget,
  type OpenProduct,
  ownerNamed,
  targetsNamed,
  UsageError,
} from './named.ts'
import { nameOf, present, type Refused, type Report, reportActs } from './report.ts'

export const usage = `npm run support -- COMMAND [--json]

  search TEXT                     find a customer by an e-mail address or any id
  trace TEXT                      their payments and credits, with the expected state
  list [--state failed|stuck|ignored] [--kind event|intent|subscription|invitation]
  replay TARGET…                  evt_…, msg_…, sub_…, ch_…, or kind and id, e.g. intent … or job queue/…
  resync OWNER…                   fetch everything of user_… or org_… from Stripe and Clerk
  adjust OWNER --credits=N --note TEXT [--may-leave-debt]
  cancel INTENT                   end a checkout that is stuck
  cancel SUBSCRIPTION             end a plan whose owner is gone, or a second one
  invoice SUBSCRIPTION            bill its changes now that wait for the next renewal
  resend INVITATION               send an open invitation once more
  forget USER                     erase a person, after approval (docs/privacy.md)
  waiting                         acts that wait for a second person, who approves at /support
  refuse ACT --reason TEXT
  audit [OWNER]

A command that changes something needs --reason TEXT, unless it is a --dry-run.
`

interface Command {
  readonly name: string
  readonly args: readonly string[]
  readonly options: Options
  readonly actor: string
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
  const run = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!run) throw new UsageError(name ? `There is no command ${name}` : 'Which command?')
  const report = await run(product, { name, args, options: values, actor })
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

const commands: Readonly<Record<string, (product: OpenProduct, command: Command) => Promise<Report>>> = {
  async search({ server }, { args }) {
    const { recognized_as, matches, as_of } = await search(server, only(args, 'a text'))
    const lines = matches.map(
      (match) => `${match.kind} ${match.id}  ${titleOf(match, { as_of })}  ${match.owner?.id ?? '–'}`,
    )
    return {
      json: { recognized_as, matches },
      lines: lines.length > 0 ? lines : ['Nothing found'],
      ok: lines.length > 0,
    }
  },

  async trace(product, { args, actor }) {
    const owner = await findOwnerId(product, only(args, 'an owner, or something of theirs'))
    const query = { owner, usage: 'hidden' } as const
    const trace = await readTrace(product.server, query, { user_id: actor })
    const { case_summary, timeline } = trace
    const problems = case_summary ? problemsOf(case_summary) : []
    const lines = [
      `${owner}: ${case_summary ? inOneSentence(problems) : 'nothing is known'}`,
      ...(case_summary
        ? [`balance ${case_summary.balance.total.is}, should be ${case_summary.balance.total.should}`]
        : []),
      ...problems.map(({ sentence }) => `! ${sentence}`),
      ...timeline.map((item) => {
        const { state = '', title, error } = tell(item, trace)
        return [item.at, item.kind, item.id, state, title, error ?? ''].join('  ').trimEnd()
      }),
    ]
    return { json: trace, lines, ok: case_summary?.agrees ?? true }
  },

  async list({ server }, { args, options }) {
    none(args)
    const filter = listFilterSchema.safeParse({ kind: options.kind, state: options.state })
    if (!filter.success)
      throw new UsageError(
        '--state is failed, stuck or ignored; --kind one of event, intent, subscription, invitation',
      )
    const { kind, state } = filter.data
    const work = await readWork(server, { order: 'age', ...(kind && { kind }), ...(state && { state }) })
    const lines = work.rows.map(({ item, since, state, owner }) => {
      const { title, error } = tell(item, work)
      return [since, state, `${item.kind}:${item.id}`, owner?.id ?? '–', title, error ?? '']
        .join('  ')
        .trimEnd()
    })
    return { json: work, lines: lines.length > 0 ? lines : ['Nothing needs a person'], ok: true }
  },

  replay: (product, command) =>
    act(product, command, { kind: 'replay', targets: targetsNamed(command.args) }),

  resync: (product, command) =>
    act(product, command, { kind: 'resync', targets: command.args.map(ownerNamed) }),

  async adjust(product, command) {
    const { credits, note, 'may-leave-debt': may_leave_debt } = command.options
    const adjustment = adjustmentSchema.safeParse({
      credits: Number(credits),
      customer_note: note,
      may_leave_debt,
    })
    if (!adjustment.success) {
      throw new UsageError(
        'adjust needs --credits=N, a whole number that is not zero, and --note TEXT, which the customer reads',
      )
    }
    const targets = command.args.map(ownerNamed)
    return act(product, command, { kind: 'adjust', targets, adjustment: adjustment.data })
  },

  cancel: (product, command) =>
    act(product, command, {
      ...(command.args.every((id) => id.startsWith('sub_'))
        ? { kind: 'cancel_subscription', targets: command.args.map((id) => ({ kind: 'subscription', id })) }
        : { kind: 'cancel_intent', targets: command.args.map((id) => ({ kind: 'intent', id })) }),
    }),

  invoice: (product, command) =>
    act(product, command, {
      kind: 'invoice_changes',
      targets: command.args.map((id) => ({ kind: 'subscription', id })),
    }),

  resend: (product, command) =>
    act(product, command, {
      kind: 'resend_invitation',
      targets: command.args.map((id) => ({ kind: 'invitation', id })),
    }),

  async forget(product, command) {
    const target = ownerNamed(only(command.args, 'a user'))
    if (target.kind !== 'user') throw new UsageError(`Only people can be forgotten, not ${target.id}`)
    return act(product, command, { kind: 'forget', targets: [target] })
  },

  async waiting({ server }, { args }) {
    none(args)
    const rows = await listActs(server.db, { state: 'waiting_for_approval' }, { limit: maximumTargets })
    const lines = rows.map(
      (row) => `${row.id}  ${nameOf(row)}  asked for by ${row.requested_by}: ${row.reason}`,
    )
    return { json: rows.map(present), lines: lines.length > 0 ? lines : ['Nothing waits'], ok: true }
  },

  async refuse({ server }, { args, actor, options: { reason } }) {
    const id = actNamed(only(args, 'the id of an act'))
    const decided = await decideToRefuse(server.db, { id, decided_by: actor, now: server.now(), reason })
    const act = decidedOrThrow(decided)
    return { json: present(act), lines: [`${nameOf(act)}: refused`], ok: true }
  },

  async audit({ server }, { args }) {
    const owner_id = args.length > 0 ? only(args, 'an owner') : undefined
    if (owner_id !== undefined && !isOwnerId(owner_id)) throw new UsageError('An owner is user_… or org_…')
    const entries = await listAudit(server.db, { owner_id }, { limit: 100 })
    const lines = entries.map((entry) =>
      [
        entry.at.toISOString(),
        entry.actor,
        entry.what,
        entry.outcome,
        entry.target_id ? `${entry.target_kind}:${entry.target_id}` : '',
        entry.entries > 1 ? `and ${entry.entries - 1} more of the batch ${entry.batch_id}` : '',
        entry.reason ?? '',
        entry.detail ?? '',
      ]
        .join('  ')
        .trimEnd(),
    )
    return { json: entries, lines, ok: true }
  },
}

const listFilterSchema = z.object({
  kind: z.optional(z.enum(['event', 'intent', 'subscription', 'invitation'])),
  state: z.optional(z.enum(['failed', 'stuck', 'ignored'])),
})

/**
 * Requests an act on each target; it is done at once or waits for approval. Failures do not stop the rest.
 */
async function act(
  { server, worker, owner }: OpenProduct,
  { options, actor }: Command,
  asked: { readonly kind: ActKind; readonly targets: readonly ActTarget[]; readonly adjustment?: Adjustment },
): Promise<Report> {
  const { kind, targets, adjustment } = asked
  if (targets.length === 0) throw new UsageError(`What is to be done to: ${kind} needs a target`)
  if (targets.length > maximumTargets) throw new UsageError(`At most ${maximumTargets} at once`)
  const id = randomUUID()
  const batch_id = targets.length > 1 ? id : null
  const acts: SupportActRow[] = []
  const refused: Refused[] = []
  const { db, clerk, producer, now, settings } = server
  const deps = {
    db: owner,
    clerk,
    producer,
    now,
    claimAfterMs: settings.claim_after_ms,
    limits: settings.adjustment_limits,
  }
  for (const target of targets) {
    const requested = await requestAct(deps, {
      id: batch_id === null ? id : idInBatch(batch_id, target),
      batch_id,
      kind,
      target: await knownTarget(server, target),
      adjustment,
      reason: options.reason.trim(),
      is_dry_run: options['dry-run'],
      requested_by: actor,
      token: null,
      targets: targets.length,
    })
    if (requested.outcome === 'refused') {
      refused.push({ target, code: requested.code, error: requested.error })
      continue
    }
    // When Stripe or Clerk is away it waits, and the worker's claim does it.
    await processSupportAct(worker, { act_id: requested.act.id }).catch(() => undefined)
    acts.push((await findAct(db, requested.act.id)) ?? requested.act)
  }
  return reportActs(acts, refused)
}

function decidedOrThrow(decided: DecidedAct): SupportActRow {
  switch (decided.outcome) {
    case 'decided':
      return decided.act
    case 'not_found':
      throw new UsageError('Act not found')
    case 'not_waiting':
      throw new UsageError(`It does not wait for a second person: it is ${decided.act.state}`)
    case 'own_act':
    case 'wrong_address':
      throw new UsageError(
        'A second person has to approve: neither the requester nor the person whom it concerns',
      )
    case 'no_reason':
      throw new UsageError('Why? Give a --reason')
  }
}

function only(args: readonly string[], what: string): string {
  const [arg, ...others] = args
  if (arg === undefined || others.length > 0) throw new UsageError(`The command takes one thing: ${what}`)
  return arg
}

function none(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`The command takes nothing more: ${args.join(' ')}`)
}
