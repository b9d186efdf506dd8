import { z } from 'zod'
import type { FindingKind } from '../../schema/api/findings.ts'
import {
  exportStatement,
  type Finding,
  type FindingsList,
  getStatement,
  listFindings,
  type ReconciliationRun,
  type Repair,
  requestReconciliation,
  type StatementDay,
} from '../../schema/api/reconciliation.ts'
import {
  countFindings,
  type FindingCount,
  type FindingRow,
  type FindingsCursor,
  listFindings as readFindings,
} from '../../schema/billing/reconciliation/findings.ts'
import { findProvenUntil, listRuns, type Run, requestRun } from '../../schema/billing/reconciliation/runs.ts'
import { readStatement } from '../../schema/billing/reconciliation/statement.ts'
import { currencies } from '../../schema/catalogue/currency.ts'
import { recordLook } from '../../schema/support/audit.ts'
import { csvLine } from '../csv.ts'
import { cursorOf } from '../cursor.ts'
import { supportStaff } from '../rights.ts'
import { route } from '../route.ts'
import { type NameOf, nameColleagues, presentOwners } from '../support/owners.ts'
import { TextFile } from '../text-file.ts'

export const reconciliationRoutes = [
  route(listFindings, { rights: supportStaff }).handle(async ({ query }, { db, clerk }) => {
    const { kind, owner, state, limit, cursor } = query
    const { findings, next } = await readFindings(db, {
      filter: { kind, owner_id: owner, state },
      limit,
      after: cursor === undefined ? undefined : decodeCursor(cursor),
    })
    const [last] = await listRuns(db, 1)
    const present = await presentOwners(
      db,
      findings.map(({ owner_id }) => owner_id),
      'masked',
    )
    return {
      findings: findings.map((row) => presentFinding(row, present(row.owner_id))),
      next_cursor: next && encodeCursor(next),
      counts: presentCounts(await countFindings(db)),
      last_run: last ? presentRun(last, await nameColleagues({ db, clerk }, [last.requested_by])) : null,
      proven_day: provenDay(await findProvenUntil(db)),
    }
  }),

  // The row is the request: the worker looks for it every few seconds.
  route(requestReconciliation, { rights: supportStaff }).handle(async ({ user_id }, deps) => {
    await recordLook(deps.db, { actor: user_id, what: 'reconcile', detail: null })
    const run = await requestRun(deps.db, { requested_by: user_id, now: deps.now() })
    return { run: presentRun(run, await nameColleagues(deps, [run.requested_by])) }
  }),

  route(getStatement, { rights: supportStaff }).handle(async ({ query, user_id: actor }, { db, now }) => {
    const days = daysOf(query, now())
    await recordLook(db, { actor, what: 'statement', detail: `${days.first} to ${days.last}` })
    return { days: await readStatement(db, days) }
  }),

  route(exportStatement, { rights: supportStaff }).handle(async ({ query, user_id: actor }, deps) => {
    const { db, now } = deps
    const days = daysOf(query, now())
    await recordLook(db, { actor, what: 'export_statement', detail: `${days.first} to ${days.last}` })
    return new TextFile(
      `statement-${query.day ?? query.month ?? days.first.slice(0, 7)}.csv`,
      csvOf(readStatement(db, days)),
    )
  }),
]

/** The day or the month that was asked for, up to today: this month where neither was. */
function daysOf({ day, month }: { day?: string | undefined; month?: string | undefined }, now: Date) {
  const today = now.toISOString().slice(0, 10)
  if (day !== undefined) return { first: day, last: earlier(day, today) }
  const first = `${month ?? today.slice(0, 7)}-01`
  const next = new Date(first)
  next.setUTCMonth(next.getUTCMonth() + 1, 0)
  return { first, last: earlier(next.toISOString().slice(0, 10), today) }
}

function earlier(one: string, other: string): string {
  return one < other ? one : other
}

function presentFinding(row: FindingRow, owner: Finding['owner']): Finding {
  return {
    ...row,
    kind: row.kind as FindingKind,
    data: row.data as Finding['data'],
    owner,
    money: moneyOf(row.amount_minor, row.currency),
    repair: row.repair as unknown as Repair | null,
    first_seen_at: row.first_seen_at.toISOString(),
    gone_at: row.gone_at?.toISOString() ?? null,
  }
}

/** A payment in a currency that we do not sell in has no amount here, only in its data. */
function moneyOf(amount_minor: number | null, code: string | null): Finding['money'] {
  const currency = currencies.find((known) => known === code)
  return amount_minor === null || !currency ? null : { amount_minor, currency }
}

function presentCounts(rows: readonly FindingCount[]): FindingsList['counts'] {
  return [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, some]) => ({
    kind,
    count: some.reduce((sum, row) => sum + row.count, 0),
    money: some.flatMap((row) => moneyOf(row.amount_minor, row.currency) ?? []),
    credits_missing: some.reduce((sum, row) => sum + row.credits_missing, 0),
    credits_too_many: some.reduce((sum, row) => sum + row.credits_too_many, 0),
  }))
}

function presentRun(run: Run, nameOf: NameOf): ReconciliationRun {
  return {
    ...run,
    requested_by: nameOf(run.requested_by),
    began_at: run.requested_at.toISOString(),
    ended_at: run.ended_at?.toISOString() ?? null,
    compared: Object.entries(run.compared).map(([what, count]) => ({ what, count })),
  }
}

/** The last whole day before that moment. */
function provenDay(until: Date | null): string | null {
  if (!until) return null
  const day = new Date(until)
  day.setUTCDate(day.getUTCDate() - 1)
  return day.toISOString().slice(0, 10)
}

const csvColumns = ['date', 'state', 'part', 'figure', 'currency', 'value', 'remark']

async function* csvOf(statement: Promise<StatementDay[]>): AsyncGenerator<string> {
  yield csvLine(csvColumns)
  for (const day of await statement) yield linesOf(day).map(csvLine).join('')
}

function linesOf({ date, state, money, balance, credits, agrees, unexplained }: StatementDay) {
  const line = (part: string, figure: string, value: number | string, currency = '', remark = '') => [
    date,
    state,
    part,
    figure,
    currency,
    value,
    remark,
  ]
  const ofMoney = (
    part: string,
    { currency, payments, ...figures }: { currency: string; payments?: number },
  ) => [
    ...(payments === undefined ? [] : [line(part, 'payments', payments, currency)]),
    ...Object.entries(figures).map(([name, minor]) =>
      line(part, name.replace(/_minor$/, ''), major(Number(minor)), currency),
    ),
  ]
  return [
    ...(money ?? []).flatMap((one) => ofMoney('money', one)),
    ...(balance ?? []).flatMap((one) => ofMoney('balance at Stripe', one)),
    ...Object.entries(credits).map(([name, value]) => line('credits', name, value)),
    ...unexplained.map((one) =>
      line('unexplained', one.object_id, major(one.amount_minor), one.currency, remarkOf(one)),
    ),
    line('day', 'agrees', agrees === null ? 'not read yet' : agrees ? 'yes' : 'no'),
  ]
}

/** e.g. `record missing, on 2026-11-21`, or `amounts differ`. */
function remarkOf({ missing, other_day }: StatementDay['unexplained'][number]): string {
  if (missing === 'none') return 'amounts differ'
  return `${missing} missing${other_day ? `, on ${other_day}` : ''}`
}

/** A number for a spreadsheet: two decimals, as every currency that we sell in has. */
function major(minor: number): number {
  return Number((minor / 100).toFixed(2))
}

const findingsCursor = cursorOf(z.tuple([z.int().min(0).max(4e12), z.uuid()]))

function encodeCursor({ first_seen_at, id }: FindingsCursor): string {
  return findingsCursor.encode([first_seen_at.getTime(), id])
}

function decodeCursor(cursor: string): FindingsCursor {
  const [time, id] = findingsCursor.decode(cursor)
  return { first_seen_at: new Date(time), id }
}
