import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { reportUsage } from '../../schema/api/spending.ts'
import { getTrace, searchSupport } from '../../schema/api/support.ts'
import { requestSupportActs } from '../../schema/api/support-acts.ts'
import { sendTeamInvitation } from '../../schema/api/team-invitations.ts'
import { recordError } from '../../schema/inbox/claim/failed-tries.ts'
import { findEvent } from '../../schema/inbox/events.ts'
import type { QueueName } from '../../schema/inbox/queues/queues.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { spendCredits } from '../../schema/ledger/spend/usage.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { createLogger } from '../../schema/log.ts'
import { tell } from '../../schema/mails/mails.ts'
import { ensureUser, findUser } from '../../schema/people/users/users.ts'
import { approveAct, findAct } from '../../schema/support/acts.ts'
import { rowsWith } from '../../tests/support/database/rows-with.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { eventOf, receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { buildHold } from '../../tests/support/factories/holds.ts'
import { addMember } from '../../tests/support/factories/organizations.ts'
import { buildPaidCredits, buildPaidPlan } from '../../tests/support/factories/paid-purchases.ts'
import { buildTeam, giveSeat, invite } from '../../tests/support/factories/teams.ts'
import { ownRedisUrl } from '../../tests/support/own-redis.ts'
import { bind, exchange, newSignIn, signInBoundTo } from '../../tests/support/product/editor-sign-in.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { openQueues } from '../../tests/support/services/queues.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { startConsumers } from '../consumers.ts'
import { deleteOldRows } from '../tasks/delete-old-rows.ts'

describe.each([
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') },
])('a person with everything one can have, and queues in $name', ({ redisUrl, missing }) => {
  const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox', redisUrl })
  const { database, clerk, server, stripe, worker } = product
  const lines: string[] = []
  const log = createLogger({
    process: 'worker',
    level: 'debug',
    destination: { write: (line) => lines.push(line) },
  })

  /** Runs jobs of the real queue until there are none left. */
  async function runJobs(jobs: readonly { queue: QueueName; id: string; payload: object }[]): Promise<void> {
    const { backend, producer, close } = openQueues({ databaseUrl: database.url, redisUrl, poolMax: 14 })
    for (const { queue, id, payload } of jobs) await producer.add(queue, id, payload as never)
    const deps = { ...worker.deps, producer, log }
    const consumers = startConsumers(deps, backend, { lockMs: 30_000, stalledMs: 30_000 })
    const isOver = async () =>
      Object.values(await producer.counts()).every(({ waiting, active }) => waiting === 0 && active === 0)
    await waitUntil(isOver, 'the queues to be empty')
    await consumers.close()
    await close()
  }

  /** A job fails with an error of the database that quotes an address. */
  async function failQuoting(address: string): Promise<void> {
    const event = eventOf('invoiceitem.deleted', { object: 'invoiceitem' })
    const id = await receiveStripeEvent(database.server, event)
    await sql
      .raw(`CREATE FUNCTION quote() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          RAISE EXCEPTION 'Key (email)=(${address}) already exists'; END $$;
        CREATE TRIGGER quote BEFORE UPDATE ON inbox_events FOR EACH ROW
          WHEN (NEW.id = '${id}' AND NEW.state <> OLD.state) EXECUTE FUNCTION quote()`)
      .execute(database.owner)
    await runJobs([{ queue: 'stripe-events', id, payload: { event_id: id } }])
    const failed = await findEvent(database.owner, { source: 'stripe', id })
    expect(failed?.last_error).toBe('Key (email)=([address]) already exists')
    await sql.raw('DROP FUNCTION quote() CASCADE').execute(database.owner)
  }

  /** Everything that Redis has, as `key: value`. */
  async function redisWith(words: readonly string[]): Promise<string[]> {
    if (!redisUrl) return []
    const redis = new Redis(redisUrl)
    const reads: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
      hash: (key) => redis.hgetall(key),
      list: (key) => redis.lrange(key, 0, -1),
      zset: (key) => redis.zrange(key, '0', '-1'),
      set: (key) => redis.smembers(key),
      stream: (key) => redis.xrange(key, '-', '+'),
      string: (key) => redis.get(key),
    }
    const found: string[] = []
    for (const key of await redis.keys('*')) {
      const value = JSON.stringify(await reads[await redis.type(key)]?.(key))
      if (words.some((word) => `${key} ${value}`.toLowerCase().includes(word.toLowerCase())))
        found.push(`${key}: ${value}`)
    }
    redis.disconnect()
    return found
  }

  const logsWith = (words: readonly string[]) =>
    [...lines, ...server.logs.map((line) => JSON.stringify(line))].filter((line) =>
      words.some((word) => line.toLowerCase().includes(word.toLowerCase())),
    )

  /** Ada, in every table, queue and log that can know her. */
  async function buildAda() {
    const mark = randomUUID().slice(0, 8)
    const [first_name, last_name] = [`Adalind${mark}`, `Quillfeather${mark}`]
    const ada = await signUp(clerk, { first_name, last_name })
    const { user_id, email } = ada
    const second = `second.${mark}@tidemark.test`
    await clerk.client.emailAddresses.createEmailAddress({
      userId: user_id,
      emailAddress: second,
      verified: true,
    })
    const profile_updated_at = new Date()
    await ensureUser(database.server, { clerk_id: user_id, email, first_name, last_name, profile_updated_at })

    const name = `${first_name} ${last_name}`

    const plan = await buildPaidPlan(product, { user_id })
    await buildPaidCredits(product, { user_id })
    await worker.catchUp()
    await stripe.client.subscriptions.cancel(plan.subscription_id ?? '')
    await worker.catchUp()

    const team = await buildTeam(product)
    await addMember(clerk, team.organization, ada, 'org:admin')
    await giveSeat(product, team, email)
    // Both are refused; the second is no call of ours.
    await server.api(sendTeamInvitation, {
      token: team.admin.token,
      body: { org_id: team.organization.id, email },
    })
    await fetch(`${server.url}/api/people/${email}?of=${second}`)
    await invite(product, { ...team, admin: ada }, `guest.${mark}@tidemark.test`)
    const elsewhere = await buildTeam(product)
    await invite(product, elsewhere, second)
    const pool = team.organization.id

    const payload = { customer: plan.customer_id, billing_details: { name, email: second } }
    const { id: customer } = await stripe.client.customers.create({ email: 'team@tidemark.test' })
    await database.owner
      .insertInto('stripe_customers')
      .values({ owner_id: pool, customer_id: customer })
      .execute()
    const pooled = { customer, customer_email: second, customer_name: name }
    for (const event of [
      eventOf('invoiceitem.deleted', { object: 'invoiceitem', ...payload } as { object: string }),
      eventOf('refund.updated', { object: 'refund', charge: null, ...payload } as { object: string }),
      eventOf('invoiceitem.deleted', { object: 'invoiceitem', ...pooled } as { object: string }),
    ]) {
      const id = await receiveStripeEvent(database.server, event)
      await runJobs([{ queue: 'stripe-events', id, payload: { event_id: id } }])
    }
    await worker.applyAllOfClerk(await clerk.listEvents())

    await failQuoting(second)

    // What support did for her, and for her organization.
    const sam = await signUp(clerk, { role: 'support' })
    const give = async (to: typeof user_id | typeof pool, note: string, reason: string) => {
      const target = { kind: kindOf(to), id: to }
      const adjustment = { credits: 90, customer_note: note, may_leave_debt: false }
      const act = await buildAct(database, { kind: 'adjust', target, params: { adjustment }, reason })
      await runJobs([{ queue: 'support-acts', id: act.id, payload: { act_id: act.id } }])
      expect(await findAct(database.owner, act.id)).toMatchObject({ state: 'done' })
      return act.id
    }
    await give(user_id, `Dear ${first_name}, sorry`, `${name} wrote from ${second}`)
    await give(pool, `Moved on behalf of ${name}`, `${email} asked for their team`)
    const kept = await give(pool, 'With our apologies', 'The pool lost an evening')
    const refused = await buildAct(database, {
      kind: 'adjust',
      target: { kind: 'user', id: user_id },
      params: { adjustment: { credits: -9000, customer_note: `To ${name}`, may_leave_debt: false } },
      reason: `Too much for ${second}`,
      is_dry_run: true,
    })
    await runJobs([{ queue: 'support-acts', id: refused.id, payload: { act_id: refused.id } }])
    const asked = { kind: 'resync', is_dry_run: false, reason: `A letter from ${name}` } as const
    const targets = [{ kind: 'user', id: email } as const]
    await server.api(requestSupportActs, {
      token: sam.token,
      body: { ...asked, id: randomUUID(), targets },
    })
    await server.ask(getTrace, { token: sam.token, query: { owner: user_id } })
    await server.ask(searchSupport, { token: sam.token, query: { q: email } })

    // Her editors: one is signed in, one is about to be.
    const editor_name = `Cursor on ${first_name}-laptop`
    expect(
      (await exchange(server, await signInBoundTo(server, ada, newSignIn(), { editor_name }))).status,
    ).toBe(200)
    await bind(server, newSignIn(), ada, { editor_name })
    const editor = await buildExtensionToken(database, user_id)
    for (const payer of ['personal', pool]) {
      const body = {
        credits: 2,
        payer,
        idempotency_key: randomUUID(),
        description: `Letter of ${name}, ${second}`,
      }
      await server.ask(reportUsage, { token: editor, body })
    }
    const texts = { reason: `Letter of ${name}`, model: first_name, project: last_name, run: first_name }
    for (const payer of [user_id, pool]) {
      const asked = { owner_id: payer, ...texts, actor: user_id, occurred_at: new Date() }
      await spendCredits(database.server, [
        { ...asked, credits: 3, idempotency_key: randomUUID() },
        { ...asked, credits: 0, idempotency_key: randomUUID(), failure: 'timeout' },
      ])
      await buildHold(database.server, payer, { ...texts, actor: user_id, credits: 5 })
    }

    const news = { kind: 'balance_low', owner_id: user_id, occasion: 'a', figures: {} } as const
    await tell(database.worker, news)
    await database.owner
      .insertInto('idempotent_requests')
      .values({
        user_id,
        key: randomUUID(),
        request_hash: Buffer.alloc(32),
        attempt_id: randomUUID(),
        answer: JSON.stringify({ status: 200, body: { email } }),
        created_at: new Date(),
      })
      .execute()
    const params = JSON.stringify({ email, name })
    await database.owner
      .insertInto('customer_creations')
      .values({ owner_id: user_id, creation_key: randomUUID(), params })
      .execute()
    for (const subject of [user_id, pool]) {
      await recordError(database.worker, {
        table_name: 'inbox_events',
        row_id: randomUUID(),
        subject,
        kind: 'unavailable',
        error: `Clerk refused ${second}`,
        at: new Date(),
      })
    }
    return { ada, words: [email, second, first_name, last_name], kept }
  }

  /** Asks for the erasure, with her name in the reason, and lets the queue do it. */
  async function forget(user_id: string, reason: string): Promise<void> {
    const { id } = await buildAct(database, { kind: 'forget', target: { kind: 'user', id: user_id }, reason })
    const { user_id: approved_by, token } = await signUp(clerk, { role: 'support' })
    const now = new Date()
    const typed_address = (await findUser(database.owner, user_id))?.email
    await approveAct(database.server, { id, approved_by, token, typed_address, next_try_at: now })
    await runJobs([{ queue: 'support-acts', id, payload: { act_id: id } }])
    expect(await findAct(database.owner, id)).toMatchObject({ error: null, state: 'done' })
  }

  test('nothing of them is left in a table, a queue or a log, and the books and the audit log are proven', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const { ada, words, kept } = await buildAda()
    // Otherwise the test proves little.
    const tables = new Set((await rowsWith(database, words)).map((row) => row.split(':')[0]))
    expect([...tables].sort()).toEqual([
      'audit_log',
      'customer_creations',
      'extension_sign_ins',
      'extension_tokens',
      'failed_tries',
      'idempotent_requests',
      'inbox_events',
      'ledger_failures',
      'ledger_holds',
      'ledger_transfers',
      'ledger_usage_days',
      'seats',
      'support_acts',
      'team_invitations',
      'users',
    ])

    await forget(ada.user_id, `${words[2]} wrote from ${words[1]} and wants to go`)
    // What Clerk sends of the erasure itself, and Stripe later.
    const sent = (await clerk.listEvents()).filter(({ payload }) =>
      words.some((word) => JSON.stringify(payload).includes(word)),
    )
    expect(sent.map(({ type }) => type)).toContain('organizationInvitation.revoked')
    await worker.applyAllOfClerk(sent)
    expect(await rowsWith(database, words)).not.toEqual([])
    await deleteOldRows({ ...worker.deps, log })

    expect(await rowsWith(database, words)).toEqual([])
    expect(await redisWith(words)).toEqual([])
    const mails = database.owner.selectFrom('mails').select('kind').where('user_id', '=', ada.user_id)
    expect(await mails.execute()).toEqual([])
    const holds = await database.rows('ledger_holds', { actor: ada.user_id }, ['state'])
    expect(holds).toEqual([{ state: 'released' }, { state: 'released' }])
    expect(logsWith(words)).toEqual([])
    expect(await findAct(database.owner, kept)).toMatchObject({ reason: 'The pool lost an evening' })
    expect((await verifyLedger(database.owner, { keepProof: true })).problems).toEqual([])
  }, 180_000)
})
