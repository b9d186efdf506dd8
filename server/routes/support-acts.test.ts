import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { BodyInputOf, ResponseOf } from '../../schema/api/endpoint.ts'
import {
  approveSupportAct,
  cancelSupportActs,
  getAuditLog,
  getSupportActs,
  refuseSupportAct,
  requestSupportActs,
} from '../../schema/api/support-acts.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findAct, lockAct } from '../../schema/support/acts.ts'
import { receiveCheckoutEvent } from '../../tests/support/factories/events.ts'
import { buildPaidCredits } from '../../tests/support/factories/paid-purchases.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { tryEvent } from '../../worker/events/try-event.ts'
import { processSupportAct } from '../../worker/support/support-act.ts'

/** The rights are tested in rights.test.ts. */
const product = testProduct({
  stripe: 'empty',
  clerk: 'trusting',
  server: { deps: { isSupportStaff: async () => true } },
})
const { database, server, worker } = product
const sam = { token: 'user_sam' }
const sue = { token: 'user_sue' }
/** Of whom the limit of a day is untouched. */
const newcomer = () => ({ token: `user_${randomUUID().slice(0, 8)}` })
const reason = 'The customer wrote to us twice'

type Body = BodyInputOf<typeof requestSupportActs>
type Request = Partial<Body> & Pick<Body, 'kind' | 'targets'>
type Answer = ResponseOf<typeof requestSupportActs>['data']

const request = (body: Request, who = sam) =>
  server.api(requestSupportActs, { ...who, body: { id: randomUUID(), reason, ...body } })
const ask = async (body: Request, who = sam): Promise<Answer> =>
  (await server.ask(requestSupportActs, { ...who, body: { id: randomUUID(), reason, ...body } })).data
const adjustment = (credits: number, more = {}) => ({
  adjustment: { credits, customer_note: 'With our apologies', ...more },
})
const adjust = (id: string, credits: number): Request => ({
  kind: 'adjust',
  targets: [{ kind: 'user', id }],
  params: adjustment(credits),
})
const audit = async (query: Record<string, string>) =>
  (await server.ask(getAuditLog, { ...sam, query })).data.items
const auditOf = async (owner_id: string) =>
  (await audit({ owner_id })).map(({ outcome, actor, detail }) => ({ outcome, actor: actor.id, detail }))
const balanceOf = async (owner_id: string) => (await findBalance(database.owner, owner_id)).total

/** What the worker does with the jobs. */
async function work(acts: Answer['acts']): Promise<void> {
  for (const { id } of acts) await processSupportAct(worker.deps, { act_id: id })
}

async function buildPaidEvent({ session_id }: { readonly session_id?: string } = {}) {
  const bought = await buildPaidCredits(product)
  const named = { ...bought, ...(session_id && { session_id }) }
  return { owner_id: bought.owner_id, id: await receiveCheckoutEvent(database.server, named) }
}

describe('an act that is asked for', () => {
  test('a requested act is done by the worker, and the same request again gets the same answer and does nothing', async () => {
    const user = await buildUser(database.server)
    const id = randomUUID()
    const body = { id, reason, ...adjust(user, 300) }
    const { acts } = await ask(body)
    expect(acts).toMatchObject([
      { id, state: 'queued', owner: { owner_id: user }, params: { adjustment: { credits: 300 } } },
    ])
    await work(acts)
    for (let i = 0; i < 10; i++) {
      const again = await ask(body)
      expect(again.acts).toMatchObject([{ id, state: 'done', outcome: { changed: true } }])
      await work(again.acts)
    }
    expect(await balanceOf(user)).toBe(300)
    expect(await auditOf(user)).toMatchObject([
      { outcome: 'done' },
      { outcome: 'requested', actor: 'user_sam' },
    ])
    expect((await request({ ...body, params: adjustment(301) })).body).toMatchObject({
      code: 'act_id_reused',
    })
  })

  test('a requested act without a reason is refused, and the refusal is in the log', async () => {
    const user = await buildUser(database.server)
    for (const bad of ['', 'because', '          ']) {
      const answer = await request({ ...adjust(user, 1), reason: bad })
      expect(answer).toMatchObject({ status: 400, body: { code: 'reason_required' } })
    }
    expect(await balanceOf(user)).toBe(0)
    const logged = await auditOf(user)
    expect(logged.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused'])
  })

  test('an act on a target that a colleague is acting on is refused and names the colleague', async () => {
    const user = await buildUser(database.server)
    await buildUser(database.server, 'user_sue')
    const { acts } = await ask({ kind: 'resync', targets: [{ kind: 'user', id: user }] }, sue)
    const second = await request({ kind: 'resync', targets: [{ kind: 'user', id: user }] })
    expect(second).toMatchObject({
      status: 409,
      body: {
        code: 'act_under_way',
        act_id: acts[0]?.id,
        by: 'user_sue',
        error: expect.stringContaining('Ada'),
      },
    })
    expect(await auditOf(user)).toMatchObject([
      { outcome: 'refused', actor: 'user_sam' },
      { outcome: 'requested', actor: 'user_sue' },
    ])
    // Looking is always possible, and so is what does not contradict it.
    const dryRun: Request = { kind: 'resync', targets: [{ kind: 'user', id: user }], is_dry_run: true }
    expect(await request({ ...dryRun, reason: '' })).toMatchObject({ status: 200 })
    expect(await request(adjust(user, 1))).toMatchObject({ status: 200 })
  })

  test.each([
    ['an unknown event', 'replay', { kind: 'event', id: 'evt_unknown' }, 404, 'target_not_found'],
    ['an intent with a bad id', 'cancel_intent', { kind: 'intent', id: 'no uuid' }, 404, 'target_not_found'],
    [
      'a charge that is to be synced like an owner',
      'resync',
      { kind: 'charge', id: 'ch_1' },
      422,
      'not_possible',
    ],
  ] as const)('a requested act is refused for %s', async (_, kind, target, status, code) => {
    expect(await request({ kind, targets: [target] })).toMatchObject({ status, body: { code } })
  })

  test.each([
    [
      'an adjustment that does not say how much',
      { kind: 'adjust', targets: [{ kind: 'user', id: 'user_x' }] },
    ],
    [
      'a replay with credits',
      { kind: 'replay', targets: [{ kind: 'event', id: 'e' }], params: adjustment(1) },
    ],
  ] as const)('a requested act is a bad request for %s', async (_, body) => {
    expect(await request(body as unknown as Request)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })
})

describe('an adjustment above the limit', () => {
  test('an adjustment above the limit waits for a second person, who is not the one who asked for it', async () => {
    const user = await buildUser(database.server)
    const { acts, needs_approval } = await ask(adjust(user, 5001))
    expect(needs_approval).toBe(true)
    const id = acts[0]?.id ?? ''
    expect(acts).toMatchObject([{ state: 'waiting_for_approval' }])
    await work(acts)
    expect(await balanceOf(user)).toBe(0)
    const waiting = await server.ask(getSupportActs, sue)
    expect(waiting.data.acts.find((act) => act.id === id)?.owner).toEqual({
      owner_id: user,
      label: expect.stringMatching(/^u\S+@tidemark\.test$/),
    })

    expect(await server.api(approveSupportAct, { ...sam, body: { id } })).toMatchObject({
      status: 403,
      body: { code: 'own_approval' },
    })
    expect((await server.api(approveSupportAct, { token: user, body: { id } })).status).toBe(403)
    const approved = await server.ask(approveSupportAct, { ...sue, body: { id } })
    expect(approved.data).toMatchObject({ state: 'queued', approved_by: { id: 'user_sue' } })
    await work(acts)
    expect(await balanceOf(user)).toBe(5001)
    expect(await server.api(approveSupportAct, { ...sue, body: { id } })).toMatchObject({
      status: 409,
      body: { code: 'act_not_waiting' },
    })
    const logged = (await auditOf(user)).map(({ outcome, actor }) => `${outcome} ${actor}`)
    expect(logged).toEqual([
      'refused user_sue',
      'done user_sam',
      'approved user_sue',
      `refused ${user}`,
      'refused user_sam',
      'requested user_sam',
    ])
  })

  test('an adjustment above the limit is refused by the second person, with a reason, and never done', async () => {
    const user = await buildUser(database.server)
    const { acts } = await ask(adjust(user, 6000))
    const id = acts[0]?.id ?? ''
    expect((await server.api(refuseSupportAct, { ...sue, body: { id } })).body).toMatchObject({
      code: 'reason_required',
    })
    const refused = await server.ask(refuseSupportAct, { ...sue, body: { id, reason: 'Too much' } })
    expect(refused.data).toMatchObject({
      state: 'refused',
      error: 'Too much',
      refused_by: { id: 'user_sue' },
    })
    await work(acts)
    expect(await balanceOf(user)).toBe(0)
    expect((await server.api(approveSupportAct, { ...sue, body: { id } })).status).toBe(409)
    expect((await server.api(refuseSupportAct, { ...sue, body: { id: randomUUID(), reason } })).status).toBe(
      404,
    )
  })

  test.each([
    [
      'in steps',
      async (user: string) => {
        const who = newcomer()
        for (const credits of [3000, -1000]) await work((await ask(adjust(user, credits), who)).acts)
        return ask(adjust(user, 1001), who)
      },
    ],
    [
      'with a debt',
      (user: string) =>
        ask({ ...adjust(user, -1), params: adjustment(-1, { may_leave_debt: true }) }, newcomer()),
    ],
    [
      'for many at once',
      async (user: string) => {
        const other = await buildUser(database.server)
        const targets = [user, other].map((id) => ({ kind: 'user', id }) as const)
        return ask({ ...adjust(user, 2501), targets }, newcomer())
      },
    ],
  ])('the limit of an adjustment cannot be bypassed: %s', async (_, attempt) => {
    const { acts } = await attempt(await buildUser(database.server))
    for (const act of acts) expect(act.state).toBe('waiting_for_approval')
    expect(acts.length).toBeGreaterThan(0)
  })

  test('an adjustment for oneself is refused: a colleague has to ask', async () => {
    const user = await buildUser(database.server)
    expect(await request(adjust(user, 1), { token: user })).toMatchObject({
      status: 422,
      body: { code: 'not_possible', error: expect.stringContaining('a colleague has to ask') },
    })
  })
})

describe('an erasure', () => {
  const forget = (id: string): Request => ({ kind: 'forget', targets: [{ kind: 'user', id }] })
  const approve = (id: string, typed_address?: string) =>
    server.api(approveSupportAct, { ...sue, body: { id, ...(typed_address && { typed_address }) } })

  test('an erasure is approved by a second person who types the address of the person, and by no other', async () => {
    const user = await buildUser(database.server)
    const id = (await ask(forget(user))).acts[0]?.id ?? ''
    for (const wrong of [undefined, 'another@tidemark.test', user, '%']) {
      expect(await approve(id, wrong)).toMatchObject({ status: 422, body: { code: 'wrong_address' } })
    }
    expect(await findAct(database.owner, id)).toMatchObject({ state: 'waiting_for_approval' })
    const wrong = (await auditOf(user)).filter(({ outcome }) => outcome === 'refused')
    expect(wrong).toHaveLength(4)
    expect(wrong[0]).toEqual({
      outcome: 'refused',
      actor: 'user_sue',
      detail: 'Another address than the person’s was typed',
    })
    expect(await approve(id, ` ${user.toUpperCase()}@Tidemark.test `)).toMatchObject({
      status: 200,
      body: { data: { state: 'queued', approved_by: { id: 'user_sue' } } },
    })
    const { rows } = await sql<{ line: string }>`
      SELECT to_jsonb(a)::text AS line FROM support_acts a WHERE id = ${id}
      UNION ALL SELECT to_jsonb(l)::text FROM audit_log l WHERE act_id = ${id}`.execute(database.owner)
    expect(rows.length).toBeGreaterThan(5)
    expect(rows.filter(({ line }) => /@|%/.test(line))).toEqual([])
  })
})

describe('many at once', () => {
  const replayOf = async (count: number) => {
    const events = await Promise.all(Array.from({ length: count }, () => buildPaidEvent()))
    const id = randomUUID()
    const targets = events.map((event) => ({ kind: 'event', id: event.id }) as const)
    return { batch_id: id, events, acts: (await ask({ id, kind: 'replay', targets })).acts }
  }
  const cancel = async (batch_id: string, who = sue) =>
    (await server.ask(cancelSupportActs, { ...who, body: { batch_id } })).data.cancelled

  test('many acts at once are cancelled by a colleague as far as they have not begun, and the log says who did it', async () => {
    const { batch_id, events, acts } = await replayOf(4)
    await work(acts.slice(0, 1))
    const begun = acts[1]?.id ?? ''
    const cancelled = await database.worker.transaction().execute(async (trx) => {
      // As the worker does while it does an act.
      await lockAct(trx, begun)
      return cancel(batch_id)
    })
    expect(cancelled).toBe(2)
    await work(acts)
    const after = (await server.ask(getSupportActs, { ...sam, query: { batch_id } })).data.acts
    const states = after.map(({ state }) => state).toSorted()
    expect(states).toEqual(['cancelled', 'cancelled', 'done', 'done'])
    const balances = await Promise.all(events.map(({ owner_id }) => balanceOf(owner_id)))
    expect(balances.toSorted((a, b) => a - b)).toEqual([0, 0, 500, 500])
    const [last] = await audit({ act_id: acts[3]?.id ?? '' })
    expect(last).toMatchObject({ outcome: 'cancelled', what: 'replay', actor: { id: 'user_sue' } })
    expect(await cancel(batch_id)).toBe(0)
    // What was cancelled can be asked for again.
    const again = { kind: 'event', id: acts[3]?.target.id ?? '' } as const
    expect((await ask({ kind: 'replay', targets: [again] })).acts).toMatchObject([{ state: 'queued' }])
  })

  test('many acts at once are done one by one: one that fails or is refused does not stop the others', async () => {
    const good = [await buildPaidEvent(), await buildPaidEvent()]
    const bad = await buildPaidEvent({ session_id: 'cs_gone' })
    await tryEvent(worker.deps, { source: 'stripe', id: bad.id }).catch(() => undefined)
    const body = {
      id: randomUUID(),
      kind: 'replay',
      targets: [good[0]?.id, bad.id, 'evt_unknown', good[1]?.id].map(
        (id) => ({ kind: 'event', id: id ?? '' }) as const,
      ),
    } as const
    const { batch_id, acts, refused } = await ask(body)
    expect(batch_id).toBe(body.id)
    expect(refused).toMatchObject([{ target: { id: 'evt_unknown' }, code: 'target_not_found' }])
    const progress = async () =>
      (await server.ask(getSupportActs, { ...sam, query: { batch_id: body.id } })).data.acts
        .map(({ state }) => state)
        .toSorted()
    expect(await progress()).toEqual(['queued', 'queued', 'queued'])
    await work(acts.slice(0, 2))
    expect(await progress()).toEqual(['done', 'failed', 'queued'])
    await work(acts)
    expect(await progress()).toEqual(['done', 'done', 'failed'])
    for (const { owner_id } of good) expect(await balanceOf(owner_id)).toBe(500)
    expect((await ask(body)).acts.map(({ id }) => id).toSorted()).toEqual(acts.map(({ id }) => id).toSorted())
  })
})

test('the log is read page by page, by owner and by actor', async () => {
  const user = await buildUser(database.server)
  for (let i = 0; i < 3; i++) await request({ ...adjust(user, 1), reason: '' }, { token: 'user_pages' })
  const first = (await server.ask(getAuditLog, { ...sam, query: { actor: 'user_pages', limit: '2' } })).data
  const query = { actor: 'user_pages', limit: '2', cursor: String(first.next_cursor) }
  const second = (await server.ask(getAuditLog, { ...sam, query })).data
  expect([first.items.length, second.items.length, second.next_cursor]).toEqual([2, 1, null])
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(3)
})
