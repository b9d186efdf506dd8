import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { actors } from '../../server/rights.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { fillOthers } from '../support/growth/fill-others.ts'
import { type ExplainedStatement, recordPages } from '../support/growth/page-recorder.ts'
import {
  type Callers,
  type Case,
  cases,
  makeCallers,
  nameOf,
  prepareCall,
} from '../support/product/example-calls.ts'
import { startTestProduct } from '../support/product/start-test-product.ts'
import { tried } from '../support/tried.ts'
import { type Path, paths } from './paths.ts'
import { runJobs, settleQueues } from './run-jobs.ts'

/** `GROWTH_OWNERS=10000` is a tenth of it, for work on a query. */
const owners = Number(process.env.GROWTH_OWNERS ?? 100_000)
/** With fewer, Postgres reads whole tables, and fewer jobs are finished than are kept. */
const few = 1000
/**
 * The first time on each connection of a pool also reads the catalogue, and any may be the one for which a
 * page is split or a table gets longer.
 */
const repetitions = 3

/**
 * Each index is a level deeper when there is a hundred times as much, a row is in up to nine of them, and the
 * planner may join small tables the other way round: on warm connections that adds up to 20 pages to a
 * statement of few. What grows with others grew by 31 pages and more before it was repaired.
 */
const mayBe = (pages: number, factor = 1.5, more = 24) => Math.max(pages * factor, pages + more)
/** A path of many statements reads the deeper indexes in each of them, some five of its own. */
const levelsOf = ({ executions }: Measured) => Math.max(24, 8 * executions)
/**
 * What reads whole tables from the start grows by little: a list of work once read 39,000 pages, then as
 * many.
 */
const most = 10_000
const queue = 'ten jobs of the queue'
/**
 * A job costs more the more finished ones are kept, which is between none and the hundred that the settings
 * allow.
 */
const factorOf = (name: string) => (name === queue ? 2 : 1.5)

interface Measured {
  readonly pages: number
  /** How many statements were executed. */
  readonly executions: number
  /** Pages a call, by text. */
  readonly statements: ReadonlyMap<string, number>
  /** How each was run the last time, by text. */
  readonly plans: ReadonlyMap<string, string>
}

/** The caller whose request succeeds and concerns the most; none for a webhook, which has a path of its own. */
const callerOf = ({ row }: Case) =>
  (['admin', 'user', ...actors] as const).find((actor) => row.answers[actor] < 400)
const calls = cases.filter(callerOf)
const measured = { before: new Map<string, Measured>(), after: new Map<string, Measured>() }

beforeAll(async () => {
  await using running = new AsyncDisposableStack()
  const database = await createTestDatabase()
  running.defer(() => database.close())
  const recorder = await recordPages(database.url)
  running.defer(() => recorder.stop())
  const product = await startTestProduct({
    database,
    stripe: 'with_prices',
    clerk: 'sandbox',
    // Few connections, so that none is used for the first time when others have more.
    server: { env: { DATABASE_POOL_MAX: '3' } },
  })
  running.defer(() => product.close())

  const measureAll = async () => {
    const results = new Map<string, Measured>()
    const all: Readonly<Record<string, Path>> = { ...paths, [queue]: runJobs }
    for (const [name, path] of Object.entries(all)) results.set(name, await measure(() => path(product)))
    // People with the same past each time: a call may change what they have.
    const callers: Callers[] = []
    for (let i = 0; i < repetitions; i++) callers.push(await makeCallers(product))
    for (const call of calls) {
      const left = [...callers]
      results.set(nameOf(call), await measure(() => prepared(left.pop() as Callers, call)))
    }
    return results
  }
  const measure = async (prepare: () => Promise<() => Promise<unknown>>): Promise<Measured> => {
    const runs: Measured[] = []
    for (let i = 0; i < repetitions; i++) runs.push(summarize(await recorder.during(await prepare())))
    return {
      pages: Math.min(...runs.map((run) => run.pages)),
      executions: Math.min(...runs.map((run) => run.executions)),
      statements: leastOfEach(runs.map((run) => run.statements)),
      plans: new Map(runs.flatMap((run) => [...run.plans])),
    }
  }
  const fill = async (first: number, last: number) => {
    await fillOthers(database.url, { first, last })
    await settleQueues(product)
    // BullMQ deleted what it does not keep; the table keeps its length until the space is needed.
    await sql`VACUUM (FULL, ANALYZE) bullmq.job`.execute(database.owner)
    await leaveRoom(database)
  }
  // The list of work shows so many from the start: a page of it is no longer afterwards.
  await sql`
    INSERT INTO inbox_events (source, id, type, occurred_at, received_at, finished_at, payload, next_try_at, state, reason)
    SELECT 'stripe', 'evt_failed_' || i, 'invoice.paid', at, at, at, '{}', '2099-01-01Z', 'failed', 'Planted'
    FROM generate_series(1, 100) i, LATERAL (SELECT timestamptz '2026-07-01Z' + i * interval '1 second' AS at) time`.execute(
    database.owner,
  )
  await fill(1, few)
  const before = await measureAll()
  tried({ stored_owners: owners })
  await fill(few + 1, owners)
  const after = await measureAll()
  print(before, after)
  measured.before = before
  measured.after = after
}, 600_000)

/**
 * Each page has room for a row that is changed, as those that Autovacuum has seen. A payload stays in its
 * row: each use of one that is stored apart reads three pages more, and an event of Stripe is just about as
 * long as decides that.
 */
async function leaveRoom({ owner }: TestDatabase): Promise<void> {
  await sql`ALTER TABLE inbox_events SET (toast_tuple_target = 8160)`.execute(owner)
  await sql`VACUUM (FULL) inbox_events`.execute(owner)
  await sql`VACUUM (ANALYZE) inbox_events`.execute(owner)
}

async function prepared(of: Callers, call: Case): Promise<() => Promise<void>> {
  const actor = callerOf(call) ?? 'anonymous'
  const send = await prepareCall(of, call, actor)
  return async () => {
    const { status, text } = await send()
    // A probe may say that events are stuck: they are.
    const isAnswered = status === call.row.answers[actor] || !call.endpoint
    if (!isAnswered) throw new Error(`${nameOf(call)} of ${actor}: ${status} ${text}`)
  }
}

function summarize(statements: readonly ExplainedStatement[]): Measured {
  const sum = (some: readonly ExplainedStatement[]) => some.reduce((total, { pages }) => total + pages, 0)
  const byText = Map.groupBy(statements, ({ text }) => text)
  const outer = statements.filter(({ isNested }) => !isNested)
  return {
    pages: sum(outer),
    executions: outer.length,
    statements: new Map([...byText].map(([text, some]) => [text, sum(some) / some.length])),
    plans: new Map(statements.map(({ text, plan }) => [text, plan])),
  }
}

function leastOfEach(runs: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const least = new Map<string, number>()
  for (const [text, pages] of runs.flatMap((run) => [...run])) {
    least.set(text, Math.min(pages, least.get(text) ?? pages))
  }
  return least
}

function print(before: ReadonlyMap<string, Measured>, after: ReadonlyMap<string, Measured>): void {
  const rows = [...before].map(([name, { pages }]) => `| ${name} | ${pages} | ${after.get(name)?.pages} |`)
  process.stdout.write(
    `\n| | ${few} owners | ${owners} owners |\n| --- | --: | --: |\n${rows.join('\n')}\n\n`,
  )
}

test.each([...Object.keys(paths), queue, ...calls.map(nameOf)])(
  '%s reads no more when others have a hundred times as much',
  (name) => {
    const before = measured.before.get(name)
    const after = measured.after.get(name)
    if (!before || !after) throw new Error(`${name} was not measured`)
    // Of the calls some read no table.
    if (name in paths) expect(before.pages).toBeGreaterThan(0)
    const grown = [...after.statements].filter(
      ([text, pages]) => pages > mayBe(before.statements.get(text) ?? pages, factorOf(name)),
    )
    const described = grown.map(
      ([text, pages]) =>
        `${before.statements.get(text)} → ${pages}: ${text}\n${before.plans.get(text)}\n→\n${after.plans.get(text)}`,
    )
    expect(described.join('\n\n')).toBe('')
    expect(after.executions).toBeLessThanOrEqual(mayBe(before.executions, factorOf(name), 1))
    expect(after.pages).toBeLessThanOrEqual(mayBe(before.pages, factorOf(name), levelsOf(before)))
    expect(after.pages).toBeLessThan(most)
  },
)
