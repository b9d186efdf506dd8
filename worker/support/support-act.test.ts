import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import { findIntent } from '../../schema/billing/checkout/intents.ts'
import { findEvent, finishEvent } from '../../schema/inbox/events.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { explainBalance } from '../../schema/ledger/read/explanation.ts'
import { approveAct, findAct, insertAct, type NewAct, outcomeOf } from '../../schema/support/acts.ts'
import { listAudit } from '../../schema/support/audit.ts'
import { findTarget } from '../../schema/support/targets.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildAct, buildNewAct, buildWaitingAct, testLimits } from '../../tests/support/factories/acts.ts'
import { eventOf, receiveCheckoutEvent, receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildPaidCredits } from '../../tests/support/factories/paid-purchases.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { createTestDependencies, producerOf, trustingStaff } from '../../tests/support/product/test-worker.ts'
import { tryEvent } from '../events/try-event.ts'
import { maximumAttempts } from '../failures.ts'
import { enqueueDueRows } from '../tasks/enqueue-due-rows.ts'
import { processSupportAct } from './support-act.ts'

const product = testProduct({ stripe: 'empty' })
const { database } = product
const deps = () => ({ ...product.worker.deps, ...trustingStaff })
const withoutStripe = () => createTestDependencies(database, trustingStaff)
booksEndRight(database)

const second = { approved_by: 'user_second', token: 'user_second' }
const balanceOf = async (owner_id: string) => (await findBalance(database.owner, owner_id)).total
const eventRow = (id: string) => findEvent(database.owner, { source: 'stripe', id })
const countTransfers = async () =>
  (await database.owner.selectFrom('ledger_transfers').select('id').execute()).length

/** Asks for an act and does it; what came of it. */
async function perform(asked: Pick<NewAct, 'kind' | 'target'> & Partial<NewAct>) {
  const { id } = await buildAct(database, asked)
  await processSupportAct(deps(), { act_id: id })
  const act = await findAct(database.owner, id)
  return { id, state: act?.state, error: act?.error, outcome: act && outcomeOf(act) }
}

const replayOf = (id: string, more: Partial<NewAct> = {}) =>
  perform({ kind: 'replay', target: { kind: 'event', id }, ...more })

async function buildPaidEvent() {
  const bought = await buildPaidCredits(product)
  const id = await receiveCheckoutEvent(database.server, bought)
  return { owner_id: bought.user_id, intent_id: bought.intent_id, id }
}

/** A bug that concerns one owner: whatever is posted for them fails, until it is repaired. */
async function plantBug(ownerId: string): Promise<() => Promise<unknown>> {
  const name = sql.id(`bug_${randomUUID().slice(0, 8)}`)
  await sql`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'a bug of ours'; END $$`.execute(database.owner)
  await sql`CREATE TRIGGER ${name} BEFORE INSERT ON ledger_grants FOR EACH ROW
    WHEN (NEW.owner_id = ${sql.lit(ownerId)}) EXECUTE FUNCTION ${name}()`.execute(database.owner)
  return () => sql`DROP FUNCTION ${name} CASCADE`.execute(database.owner)
}

/** The worker that is about to commit this act is killed: everything was done, and nothing of it is there. */
async function killWhenDone(actId: string): Promise<() => Promise<unknown>> {
  const name = sql.id(`kill_${randomUUID().slice(0, 8)}`)
  await sql`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`.execute(database.owner)
  await sql`CREATE TRIGGER ${name} BEFORE UPDATE ON support_acts FOR EACH ROW
    WHEN (NEW.id = ${sql.lit(actId)} AND NEW.state = 'done') EXECUTE FUNCTION ${name}()`.execute(
    database.owner,
  )
  return () => sql`DROP FUNCTION ${name} CASCADE`.execute(database.owner)
}

async function failBecauseOfBug() {
  const { owner_id, intent_id, id } = await buildPaidEvent()
  const repair = await plantBug(owner_id)
  for (let i = 0; i < maximumAttempts; i++) {
    await expect(tryEvent(deps(), { source: 'stripe', id })).rejects.toThrow(/a bug of ours/)
  }
  return { owner_id, intent_id, id, repair }
}

describe('a job that failed because of a bug', () => {
  test('a job that failed because of a bug is visible with its error, is settled once by one replay after the repair, and by ten more not again', async () => {
    const { owner_id, intent_id, id, repair } = await failBecauseOfBug()
    expect(await eventRow(id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('a bug of ours'),
    })

    // Before the repair a replay says why it fails, and leaves everything as it was.
    const tooEarly = await replayOf(id)
    expect(tooEarly).toMatchObject({ state: 'failed', error: 'a bug of ours' })
    expect(await eventRow(id)).toMatchObject({ state: 'failed', attempts: maximumAttempts })
    await repair()

    const dry = await replayOf(id, { is_dry_run: true, reason: '' })
    expect(dry).toMatchObject({ state: 'done', outcome: { changed: true } })
    expect(await balanceOf(owner_id)).toBe(0)
    expect(await eventRow(id)).toMatchObject({ state: 'failed' })

    const first = await replayOf(id)
    expect(first.outcome).toEqual(dry.outcome)
    expect(first).toMatchObject({
      state: 'done',
      outcome: {
        changed: true,
        transfers: [{ kind: 'credit_purchase', account: 'purchased', credits: 500 }],
        changes: expect.arrayContaining([
          { what: 'balance', id: null, before: 0, after: 500 },
          { what: 'event', id, before: 'failed', after: 'applied' },
          { what: 'intent', id: intent_id, before: 'open', after: 'settled' },
        ]),
      },
    })
    expect(await eventRow(id)).toMatchObject({ state: 'applied', attempts: 0, last_error: null })
    expect(await findIntent(database.owner, intent_id)).toMatchObject({ state: 'settled' })

    const transfers = await countTransfers()
    const row = await eventRow(id)
    for (let i = 0; i < 10; i++) {
      expect(await replayOf(id)).toMatchObject({
        state: 'done',
        outcome: {
          changed: false,
          note: 'done_already',
          transfers: [],
          changes: [],
        },
      })
    }
    expect(await countTransfers()).toBe(transfers)
    expect(await eventRow(id)).toEqual(row)
  })

  test('a job that failed because of a bug is settled once when the worker tries it in the same moment', async () => {
    for (let i = 0; i < 5; i++) {
      const { owner_id, id } = await buildPaidEvent()
      const { id: act_id } = await buildAct(database, { kind: 'replay', target: { kind: 'event', id } })
      await Promise.all([processSupportAct(deps(), { act_id }), tryEvent(deps(), { source: 'stripe', id })])
      expect(await findAct(database.owner, act_id)).toMatchObject({ state: 'done' })
      expect(await balanceOf(owner_id)).toBe(500)
      expect(await eventRow(id)).toMatchObject({ state: 'applied' })
    }
  })
})

test('an ignored event is replayed, and says why it is ignored again', async () => {
  const event = eventOf('customer.created', { object: 'customer' })
  const id = await receiveStripeEvent(database.server, event)
  await finishEvent(
    database.worker,
    { source: 'stripe', id },
    { state: 'ignored', reason: 'An earlier version did not know it', now: new Date() },
  )
  expect(await replayOf(id)).toMatchObject({
    state: 'done',
    outcome: {
      changed: false,
      note: failureOf('not_handled', { type: 'customer.created' }),
    },
  })
})

describe('an act whose job is lost', () => {
  const swept = async () => {
    const jobs: string[] = []
    const producer = producerOf(async (_: string, __: string, payload: object) => {
      if ('act_id' in payload) jobs.push(String(payload.act_id))
    })
    await enqueueDueRows(
      createTestDependencies(database, { producer, now: () => new Date(Date.now() + 3_600_000) }),
    )
    return jobs
  }

  test('an act whose worker was killed in the middle is claimed again and done once', async () => {
    const { owner_id, id } = await buildPaidEvent()
    const act = await buildAct(database, { kind: 'replay', target: { kind: 'event', id } })
    const revive = await killWhenDone(act.id)
    await expect(processSupportAct(deps(), { act_id: act.id })).rejects.toThrow()
    await revive()
    expect(await balanceOf(owner_id)).toBe(0)
    expect(await findAct(database.owner, act.id)).toMatchObject({ state: 'queued' })

    expect(await swept()).toContain(act.id)
    await processSupportAct(deps(), { act_id: act.id })
    expect(await balanceOf(owner_id)).toBe(500)
  })

  test('an act that was done is not done again', async () => {
    const { owner_id, id } = await buildPaidEvent()
    const act = await buildAct(database, { kind: 'replay', target: { kind: 'event', id } })
    await processSupportAct(deps(), { act_id: act.id })
    const done = await findAct(database.owner, act.id)
    expect(await swept()).not.toContain(act.id)
    // The job comes again, because its worker did not answer for it.
    await processSupportAct(deps(), { act_id: act.id })
    expect(await findAct(database.owner, act.id)).toEqual(done)
    expect(await balanceOf(owner_id)).toBe(500)
    const entries = await listAudit(database.owner, { act_id: act.id }, { limit: 10 })
    expect(entries.map(({ outcome }) => outcome)).toEqual(['done', 'requested'])
  })
})

test('an act waits while Stripe is away, and tells after an hour', async () => {
  const target = { kind: 'subscription', id: 'sub_unreachable' } as const
  const act = await buildAct(database, { kind: 'replay', target })
  await expect(processSupportAct(withoutStripe(), { act_id: act.id })).rejects.toThrow()
  expect(await findAct(database.owner, act.id)).toMatchObject({
    state: 'queued',
    attempts: 0,
    last_error: expect.any(String),
    unavailable_since: expect.any(Date),
  })
  const later = createTestDependencies(database, { now: () => new Date(Date.now() + 2 * 3_600_000) })
  await processSupportAct(later, { act_id: act.id })
  expect(await findAct(database.owner, act.id)).toMatchObject({ state: 'failed', error: expect.any(String) })
})

test('a dry run ends at once while Stripe is away, and says that this is why', async () => {
  const target = { kind: 'subscription', id: 'sub_unreachable' } as const
  const act = await buildAct(database, { kind: 'replay', target, is_dry_run: true })
  await processSupportAct(withoutStripe(), { act_id: act.id })
  expect(await findAct(database.owner, act.id)).toMatchObject({
    state: 'failed',
    error: 'stripe_away',
    unavailable_since: expect.any(Date),
  })
})

describe('an adjustment', () => {
  const adjustment = (credits: number, may_leave_debt = false) => ({
    adjustment: { credits, customer_note: 'Sorry for the trouble', may_leave_debt },
  })
  const adjustOf = async (owner_id: string, params: NewAct['params'], more: Partial<NewAct> = {}) =>
    perform({ kind: 'adjust', target: { kind: 'user', id: owner_id }, params, ...more })

  test('an adjustment is posted once however often it is tried, and the customer reads the note and not the reason', async () => {
    const owner_id = await buildUser(database.server)
    const reason = 'He is a friend of the boss'
    const { id, outcome } = await adjustOf(owner_id, adjustment(250), { reason })
    expect(outcome).toMatchObject({
      changed: true,
      transfers: [{ kind: 'adjustment', credits: 250, grant_id: `adjustment/${id}` }],
      changes: [{ what: 'balance', before: 0, after: 250 }],
    })
    for (let i = 0; i < 10; i++) await processSupportAct(deps(), { act_id: id })
    expect(await balanceOf(owner_id)).toBe(250)
    const { changes } = await explainBalance(database.server, owner_id, { limit: 10 })
    expect(changes).toMatchObject([
      { kind: 'adjustment', change: { purchased: 250 }, reason: 'Sorry for the trouble' },
    ])
    expect(JSON.stringify(changes)).not.toContain(reason)
    const [entry] = await listAudit(database.owner, { owner_id: owner_id }, { limit: 10 })
    expect(entry).toMatchObject({
      outcome: 'done',
      actor: 'cli:support',
      reason,
      before: { balance: 0 },
      after: { balance: 250 },
    })
  })

  test('an adjustment takes no more than what was bought, unless it was agreed that a debt remains', async () => {
    const owner_id = await buildUser(database.server)
    await giveCredits(database, owner_id, { purchased: 100 })
    expect(await adjustOf(owner_id, adjustment(-101))).toMatchObject({
      state: 'failed',
      error: failureOf('more_than_left', { asked: '101', left: '100' }),
    })
    expect(await adjustOf(owner_id, adjustment(-60))).toMatchObject({ state: 'done' })
    expect(await balanceOf(owner_id)).toBe(40)

    const debt = await buildAct(database, {
      kind: 'adjust',
      target: { kind: 'user', id: owner_id },
      params: adjustment(-100, true),
    })
    await processSupportAct(deps(), { act_id: debt.id })
    expect(await balanceOf(owner_id)).toBe(40)
    await approveAct(database.server, { id: debt.id, ...second, next_try_at: new Date() })
    await processSupportAct(deps(), { act_id: debt.id })
    expect(await balanceOf(owner_id)).toBe(-60)
  })
})

describe('the rows of acts', () => {
  const creditsOf = (credits: number) => ({
    adjustment: { credits, customer_note: 'Sorry for the trouble', may_leave_debt: false },
  })
  /** By a colleague, in the console. */
  const askFor = async (asked: Pick<NewAct, 'kind' | 'target'> & Partial<NewAct>) =>
    insertAct(
      database.server,
      buildNewAct({
        owner_id: (await findTarget(database.owner, asked.target))?.owner_id ?? null,
        requested_by: 'user_second',
        ...asked,
      }),
      { token: 'user_second', amount: 0, limits: testLimits },
    )

  test('a support person cannot agree to their own act, or do what was not agreed to', async () => {
    const id = await buildUser(database.server)
    const act = await buildWaitingAct(database, { target: { kind: 'user', id } })
    const now = new Date()
    const approval = { id: act.id, ...second, now, next_try_at: now }
    await expect(
      approveAct(database.server, { ...approval, approved_by: act.requested_by }),
    ).rejects.toThrow()
    const update = database.server.updateTable('support_acts').where('id', '=', act.id)
    await expect(update.set({ state: 'queued' }).execute()).rejects.toThrow(/permission denied/)
    const unapproved = database.owner.updateTable('support_acts').where('id', '=', act.id)
    await expect(unapproved.set({ state: 'queued' }).execute()).rejects.toThrow(/second person/)
    const bigger = database.owner.updateTable('support_acts').set({ params: '{}', reason: 'Something else' })
    await expect(bigger.where('id', '=', act.id).execute()).rejects.toThrow(/cannot change/)
  })

  test('one act of each kind is under way per target, and dry runs do not count', async () => {
    const target = { kind: 'user', id: await buildUser(database.server) } as const
    const first = await buildAct(database, { kind: 'resync', target })
    const dry = await buildAct(database, { kind: 'resync', target, is_dry_run: true })
    expect(dry.id).not.toBe(first.id)
    expect(await askFor({ kind: 'resync', target })).toMatchObject({
      outcome: 'under_way',
      act: { id: first.id, requested_by: 'cli:support' },
    })
  })

  test('an adjustment that waits for a second person holds up another one, and neither a resync nor a replay', async () => {
    const { owner_id, id } = await buildPaidEvent()
    const target = { kind: 'user', id: owner_id } as const
    const waiting = await buildWaitingAct(database, { target })
    expect(await askFor({ kind: 'adjust', target, params: creditsOf(1) })).toMatchObject({
      outcome: 'under_way',
      act: { id: waiting.id },
    })
    expect(await askFor({ kind: 'resync', target })).toMatchObject({ outcome: 'new' })
    expect(await replayOf(id)).toMatchObject({ state: 'done' })
    expect(await balanceOf(owner_id)).toBe(500)
    expect(await findAct(database.owner, waiting.id)).toMatchObject({ state: 'waiting_for_approval' })
  })

  test('an erasure that waits holds up every act about the person, and is held up by each', async () => {
    const { owner_id, id } = await buildPaidEvent()
    const person = { kind: 'user', id: owner_id } as const
    const event = { kind: 'event', id } as const
    const replayed = await askFor({ kind: 'replay', target: event })
    expect(await askFor({ kind: 'forget', target: person })).toMatchObject({
      outcome: 'under_way',
      act: { id: replayed.act.id },
    })
    await processSupportAct(deps(), { act_id: replayed.act.id })
    const erasure = await askFor({ kind: 'forget', target: person })
    expect(erasure).toMatchObject({ outcome: 'new', act: { state: 'waiting_for_approval' } })
    for (const asked of [
      { kind: 'replay', target: event },
      { kind: 'adjust', target: person, params: creditsOf(1) },
      { kind: 'resync', target: person },
      { kind: 'forget', target: person },
    ] as const) {
      expect(await askFor(asked)).toMatchObject({ outcome: 'under_way', act: { id: erasure.act.id } })
    }
    const stranger = { kind: 'user', id: await buildUser(database.server) } as const
    expect(await askFor({ kind: 'resync', target: stranger })).toMatchObject({ outcome: 'new' })
  })

  test('an erasure and an act about the person that are asked for in the same moment are not both written down', async () => {
    for (let i = 0; i < 10; i++) {
      const target = { kind: 'user', id: await buildUser(database.server) } as const
      const asked = await Promise.all([
        askFor({ kind: 'forget', target }),
        askFor({ kind: 'resync', target }),
        askFor({ kind: 'adjust', target, params: creditsOf(1) }),
      ])
      const kinds = asked.flatMap(({ outcome, act }) => (outcome === 'new' ? act.kind : []))
      expect([['forget'], ['adjust', 'resync']]).toContainEqual(kinds.toSorted())
    }
  })

  test('the audit log refuses every change', async () => {
    const owner_id = await buildUser(database.server)
    await perform({
      kind: 'adjust',
      target: { kind: 'user', id: owner_id },
      params: { adjustment: { credits: 1, customer_note: 'A gift', may_leave_debt: false } },
    })
    for (const db of [database.server, database.worker, database.owner]) {
      await expect(db.updateTable('audit_log').set({ actor: 'another person' }).execute()).rejects.toThrow()
      await expect(db.deleteFrom('audit_log').execute()).rejects.toThrow()
      await expect(sql`TRUNCATE audit_log`.execute(db)).rejects.toThrow()
    }
    const entry = { actor: 'user_x', what: 'adjust', outcome: 'done' } as const
    await expect(database.server.insertInto('audit_log').values(entry).execute()).rejects.toThrow(/row-level/)
  })
})
