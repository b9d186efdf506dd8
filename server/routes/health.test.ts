import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { saveFindings } from '../../schema/billing/reconciliation/findings.ts'
import { moveRun, requestRun } from '../../schema/billing/reconciliation/runs.ts'
import { build } from '../../schema/build.ts'
import { failEvent } from '../../schema/inbox/events.ts'
import { tell } from '../../schema/mails/mails.ts'
import { failAct } from '../../schema/support/acts.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { eventOf, receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { database, server, startServer } = testProduct()

const get = (path: string, on = server) => fetch(`${on.url}${path}`)
const getMonitoring = (path: string, on = server) => fetch(`${on.monitoringUrl}${path}`)

describe('health', () => {
  test('health is good when database, queue and inbox are', async () => {
    expect((await get('/healthz')).status).toBe(200)
    const ready = await getMonitoring('/readyz')
    expect(await ready.json()).toEqual({ status: 'ready', reasons: {} })
    expect(ready.status).toBe(200)
    expect((await getMonitoring('/healthz')).status).toBe(200)
  })

  test('health is bad without a database or queue, in public without reasons, while the process is well and measured', async () => {
    await using broken = await startServer({ databaseUrl: 'postgres://postgres@127.0.0.1:1/none' })
    const ready = await getMonitoring('/readyz', broken)
    const alive = await get('/healthz', broken)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toEqual({
      status: 'not_ready',
      reasons: { database: 'does not answer', queue: 'does not answer', inbox: 'does not answer' },
    })
    expect(alive.status).toBe(200)
    const told = await get('/readyz', broken)
    expect([told.status, await told.json()]).toEqual([503, { status: 'not_ready' }])
    const metrics = await (await getMonitoring('/metrics', broken)).text()
    expect(metrics).toContain('process_cpu_seconds_total')
    expect(metrics).not.toMatch(/^tidemark_inbox_oldest_unapplied_seconds/m)
  })

  test('public health says only whether it is good and of which version, without numbers and reasons', async () => {
    expect(await (await get('/readyz')).json()).toEqual({ status: 'ready' })
    expect(await (await get('/healthz')).json()).toEqual({ status: 'ok', version: build.version })
    expect((await fetch(`${server.url}/metrics`, { headers: { accept: 'text/plain' } })).status).toBe(404)
    expect(await (await get('/metrics')).text()).not.toContain('tidemark_')
  })

  test('health is bad when the database is read-only, or its disk refuses writes', async () => {
    const reasonsOf = async (databaseUrl: string) => {
      await using limited = await startServer({ databaseUrl })
      const ready = await getMonitoring('/readyz', limited)
      return { status: ready.status, body: await ready.json() }
    }
    const readOnly = new URL(database.url)
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on')
    expect(await reasonsOf(readOnly.href)).toMatchObject({
      status: 503,
      body: { reasons: { database: 'is read-only' } },
    })
    const name = sql.id(new URL(database.url).pathname.slice(1))
    await sql`ALTER DATABASE ${name} SET temp_file_limit = '1kB'`.execute(database.owner)
    const full = await reasonsOf(database.url)
    await sql`ALTER DATABASE ${name} RESET temp_file_limit`.execute(database.owner)
    expect(full).toMatchObject({ status: 503, body: { reasons: { database: 'does not answer' } } })
  })

  test('health is looked up once a second however often it is asked for, and a server that stops says so at once', async () => {
    await using slow = await startServer({
      settings: { ready_answer_ms: 60_000 },
    })
    const counts = vi.spyOn(slow.deps.producer, 'counts')
    for (let count = 0; count < 20; count++) expect((await get('/readyz', slow)).status).toBe(200)
    expect(counts).toHaveBeenCalledTimes(1)
    slow.deps.readiness.isStopping = true
    expect((await get('/readyz', slow)).status).toBe(503)
  })

  test('health is bad when the oldest event waits too long', async () => {
    await buildUser(database.owner)
    await receiveStripeEvent(database.server, eventOf('checkout.session.completed', { object: 'x' }))
    const later = new Date(Date.now() + 6 * 60_000)
    await using behind = await startServer({ deps: { now: () => later } })
    const ready = await getMonitoring('/readyz', behind)
    const metrics = await (await getMonitoring('/metrics', behind)).text()
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      reasons: { inbox: expect.stringMatching(/^the oldest event waits for 3\d\d/) },
    })
    expect(metrics).toMatch(/^tidemark_inbox_oldest_unapplied_seconds 3\d\d/m)
    expect((await get('/readyz')).status).toBe(200)
  })

  test('health is good while an event waits for its next try, however old it is; the metrics tell its age', async () => {
    const id = await receiveStripeEvent(
      database.server,
      eventOf('checkout.session.completed', { object: 'y' }),
    )
    await database.change('inbox_events', { state: 'received' }, { last_error: 'Stripe is away' })
    const later = new Date(Date.now() + 7 * 60_000)
    await using behind = await startServer({ deps: { now: () => later } })
    const ready = await get('/readyz', behind)
    const metrics = await (await getMonitoring('/metrics', behind)).text()
    await database.owner.deleteFrom('inbox_events').where('id', '=', id).execute()
    expect(ready.status).toBe(200)
    expect(metrics).toMatch(/^tidemark_inbox_oldest_unapplied_seconds 4\d\d/m)
  })

  test('health is measured per route and per queue', async () => {
    await get('/api/config')
    const response = await getMonitoring('/metrics')
    expect(response.headers.get('content-type')).toContain('text/plain')
    const text = await response.text()
    expect(text).toMatch(
      /tidemark_http_request_duration_seconds_count\{method="GET",route="\/api\/config",status="200"\} [1-9]/,
    )
    expect(text).toContain('tidemark_queue_jobs{queue="stripe-events",state="waiting"} 0')
    for (const what of ['event', 'intent', 'subscription', 'invitation', 'act'])
      expect(text).toContain(`tidemark_failed_rows{what="${what}"} 0`)
    expect(text).toContain('tidemark_reconciliation_findings{kind="work_overdue"} 0')
    expect(text).toContain('process_cpu_seconds_total')
  })

  test('health is measured by what support and reconciliation have left to do', async () => {
    const data = { intent_id: 'i', status: 'open', payment_status: 'unpaid' }
    const found = { kind: 'settled_without_payment', owner_id: null, data } as const
    const money = (currency: string) => ({ amount_minor: 700, currency })
    const differences = [
      { ...found, object_id: 'cs_1', money: money('EUR') },
      { ...found, object_id: 'cs_2', money: money('USD') },
    ]
    await database.worker.transaction().execute((trx) => saveFindings(trx, differences, new Date()))
    const text = await (await getMonitoring('/metrics')).text()
    expect(text).toContain('tidemark_reconciliation_findings{kind="settled_without_payment"} 2')
    expect(text).toContain('tidemark_support_acts_unfinished{state="waiting_for_approval"} 0')
    expect(text).toMatch(/^tidemark_database_connections\{state="in_use"\} \d/m)
  })

  test('health is measured by the rows of every kind that have failed', async () => {
    const id = await receiveStripeEvent(database.server, eventOf('invoice.paid', { object: 'invoice' }))
    await failEvent(database.worker, { source: 'stripe', id }, { reason: 'A defect', now: new Date() })
    const buyer = await buildUser(database.server)
    const act = await buildAct(database, { kind: 'resync', target: { kind: 'user', id: buyer } })
    await failAct(database.worker, { id: act.id, error: 'A defect', is_unavailable: false, now: new Date() })
    const text = await (await getMonitoring('/metrics')).text()
    expect(text).toContain('tidemark_failed_rows{what="event"} 1')
    expect(text).toContain('tidemark_failed_rows{what="act"} 1')
    await database.owner.deleteFrom('inbox_events').where('id', '=', id).execute()
  })

  test('health is measured by the rows that wait for another side for an hour, after one try or many', async () => {
    const id = await receiveStripeEvent(database.server, eventOf('invoice.paid', { object: 'invoice' }))
    const away = async (minutes: number) => {
      const unavailable_since = new Date(Date.now() - minutes * 60_000)
      await database.change('inbox_events', { id }, { unavailable_since })
      return (await getMonitoring('/metrics')).text()
    }
    expect(await away(59)).toContain('tidemark_away_rows{what="event"} 0')
    expect(await away(61)).toContain('tidemark_away_rows{what="event"} 1')
    expect(await away(61)).toContain('tidemark_away_rows{what="mail"} 0')
    await tell(database.worker, {
      kind: 'balance_low',
      owner_id: await buildUser(database.server),
      occasion: '',
      figures: {},
    })
    await database.owner
      .updateTable('mails')
      .set({ created_at: sql`now() - interval '61 minutes'` })
      .execute()
    expect(await away(61)).toContain('tidemark_away_rows{what="mail"} 1')
    await database.owner.deleteFrom('mails').execute()
    await database.owner.deleteFrom('inbox_events').where('id', '=', id).execute()
  })

  test('health is measured by how long ago a reconciliation ended well, and the database was backed up', async () => {
    const measured = async () => (await (await getMonitoring('/metrics')).text()).split('\n')
    const age = async (series: string) => {
      const line = (await measured()).find((one) => one.startsWith(`${series} `))
      return line === undefined ? undefined : Math.round(Number(line.split(' ')[1]) / 3600)
    }
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    const reconciled = 'tidemark_reconciled_seconds'
    const base = 'tidemark_backup_age_seconds{what="base"}'
    expect([await age(reconciled), await age(base)]).toEqual([undefined, undefined])
    const run = await requestRun(database.worker, { requested_by: 'test', now: hoursAgo(20) })
    expect(await age(reconciled)).toBe(20)
    const until = { since: hoursAgo(20), until: hoursAgo(20) }
    const position = { comparison: 'sessions', after: null }
    const running = await moveRun(database.worker, run, { state: 'running', ...until, position })
    if (!running) throw new Error('The run did not begin')
    const done = { state: 'done', is_proven: true, ended_at: hoursAgo(9), position: null } as const
    await moveRun(database.worker, running, done)
    const next = await requestRun(database.worker, { requested_by: 'test', now: hoursAgo(3) })
    await moveRun(database.worker, next, { state: 'failed', ended_at: hoursAgo(2) })
    await database.owner
      .insertInto('base_backups')
      .values({ finished_at: hoursAgo(30), bytes: 1 })
      .execute()
    expect([await age(reconciled), await age(base)]).toEqual([9, 30])
  })
})
