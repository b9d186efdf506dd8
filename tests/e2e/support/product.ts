import { randomUUID } from 'node:crypto'
import { test } from '@playwright/test'
import type { Queue } from 'bullmq'
import { type Kysely, sql } from 'kysely'
import { saveFindings } from '../../../schema/billing/reconciliation/findings.ts'
import { connectDatabase } from '../../../schema/database/connect.ts'
import type { DB } from '../../../schema/database/types.ts'
import { queueNames } from '../../../schema/inbox/queues/queues.ts'
import { spendCredits, type Usage } from '../../../schema/ledger/spend/usage.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { insertAct, type NewAct } from '../../../schema/support/acts.ts'
import { openClerk } from '../../../schema/vendors/clerk/client.ts'
import { createStripe } from '../../../schema/vendors/stripe/client.ts'
import { buildNewAct } from '../../support/factories/acts.ts'
import { buildHold } from '../../support/factories/holds.ts'
import { spendNow } from '../../support/factories/transfers.ts'
import { openQueues } from '../../support/services/queues.ts'

/** What the global setup launched. */
function address(name: 'E2E_STRIPE_URL' | 'E2E_CLERK_URL' | 'E2E_DATABASE_URL'): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: the global setup launches the product and sets it`)
  return value
}

/** As the owner of the product's database. */
export async function withDatabase<T>(work: (db: Kysely<DB>) => Promise<T>): Promise<T> {
  const connectionString = address('E2E_DATABASE_URL')
  const database = connectDatabase({ connectionString, role: 'owner', poolMax: 4, onError: () => undefined })
  try {
    return await work(database.db)
  } finally {
    await database.close()
  }
}

/** A request of a person's editor that is under way, and one before it that failed. */
export function planToUse(userId: string, { lasting_s = 15 * 60 } = {}): Promise<string> {
  const asked = {
    owner_id: userId,
    actor: userId,
    occurred_at: new Date(),
    model: 'large',
    project: 'website',
  }
  return withDatabase(async (db) => {
    const failed = { failure: 'provider_error', reason: 'Chat about the checkout' } as const
    await spendNow(db, userId, 0, { ...asked, ...failed })
    return (await buildHold(db, userId, { ...asked, lasting_s })).id
  })
}

/** A request of a person's editor that took longer and cost more than was reserved for it. */
export async function exceedHold(userId: string): Promise<string> {
  const occurred_at = new Date(Date.now() + (await findClockOffset()))
  const asked = {
    owner_id: userId,
    actor: userId,
    occurred_at,
    model: 'large-2026-10',
    project: 'harbour-web',
  }
  return withDatabase(async (db) => {
    const { id: hold_id } = await buildHold(db, userId, { ...asked, credits: 40 })
    await spendCredits(db, [
      { ...asked, action: 'extend', hold_id, lasting_s: 20 * 60 },
      { ...asked, action: 'settle', may_spend: true, hold_id, credits: 52 },
    ])
    return hold_id
  })
}

export function findLedgerProblems() {
  return withDatabase(async (db) => (await verifyLedger(db)).problems)
}

/** Knobs that affect every test of the product. */
const noticedByAll = /^(faults|deliveries|clock|account|instance|reset|database)\b/

export function turnStripeKnob(path: string, body: object = {}): Promise<void> {
  refuseForAll(path)
  return turnKnob(address('E2E_STRIPE_URL'), path, { method: 'POST', body: JSON.stringify(body) })
}

/** Leaves the events of the last minute out of Stripe's list as well: they are lost. */
export async function hideEventsFromList(): Promise<void> {
  const { data } = await openSandboxStripe().events.list({ limit: 20 })
  for (const { id } of data) await turnStripeKnob(`events/${id}/list`, { listed: false })
}

/** How far the product's clock is ahead of the real time. */
export async function findClockOffset(): Promise<number> {
  const response = await fetch(`${address('E2E_STRIPE_URL')}/_sandbox/clock`)
  return ((await response.json()) as { offset_ms: number }).offset_ms
}

/** What editors of a user reported a moment ago, of the user's credits unless another owner is named. */
export async function reportUsages(
  actor: string,
  usages: readonly (Partial<Usage> & Pick<Usage, 'credits'>)[],
): Promise<void> {
  const occurred_at = new Date(Date.now() + (await findClockOffset()))
  const asked = usages.map(
    (usage): Usage => ({
      owner_id: actor,
      actor,
      occurred_at,
      idempotency_key: randomUUID(),
      reason: 'Chat',
      ...usage,
    }),
  )
  await withDatabase((db) => spendCredits(db, asked))
}

export function turnClerkKnob(path: string, body: object): Promise<void> {
  refuseForAll(path)
  return turnKnob(address('E2E_CLERK_URL'), path, { method: 'POST', body: JSON.stringify(body) })
}

function refuseForAll(path: string): void {
  if (!noticedByAll.test(path) || test.info().tags.includes('@alone')) return
  throw new Error(`Other tests would notice ${path}: write test(title, alone, …) (support/test.ts).`)
}

/** Both sandboxes answer again. */
export async function clearFaults(): Promise<void> {
  await turnKnob(address('E2E_STRIPE_URL'), 'faults', { method: 'DELETE' })
  await turnKnob(address('E2E_CLERK_URL'), 'faults', { method: 'DELETE' })
}

/** Makes postings for the user's checkouts fail until `repairPostings`. Other owners are not affected. */
export function failPostings(userId: string, error: string): Promise<void> {
  return changeSchema(
    `CREATE FUNCTION bug_of_${userId}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
     BEGIN
       IF EXISTS (SELECT FROM checkout_intents WHERE id = NEW.intent_id AND user_id = '${userId}') THEN
         RAISE EXCEPTION '${error}';
       END IF;
       RETURN NEW;
     END $$;
     CREATE TRIGGER bug_of_${userId} BEFORE INSERT ON ledger_transfers
       FOR EACH ROW EXECUTE FUNCTION bug_of_${userId}()`,
  )
}

/** One transaction. */
async function changeSchema(statements: string): Promise<void> {
  await withDatabase((db) => sql.raw(statements).execute(db))
}

/** How many events about the user's checkouts have failed and wait for their next try. */
export function countFailedEvents(userId: string): Promise<number> {
  return withDatabase(async (db) => (await failedEvents(db, userId).select('id').execute()).length)
}

/** Ends the fault. Failed events stay failed until a person replays them. */
export async function repairPostings(userId: string): Promise<void> {
  await withDatabase(async (db) => {
    const held = { next_try_at: sql<Date>`now() + interval '30 days'`, claims: sql<number>`claims + 1` }
    await db.updateTable('checkout_intents').set(held).where('user_id', '=', userId).execute()
    await db
      .updateTable('inbox_events')
      .set(held)
      .where('id', 'in', failedEvents(db, userId).select('id'))
      .execute()
  })
  await changeSchema(`DROP FUNCTION bug_of_${userId}() CASCADE`)
}

function failedEvents(db: Kysely<DB>, userId: string) {
  const intents = db
    .selectFrom('checkout_intents')
    .where('user_id', '=', userId)
    .select(sql<string>`id::text`.as('id'))
  return db
    .selectFrom('inbox_events')
    .where('state', '=', 'received')
    .where('last_error', 'is not', null)
    .where('client_reference_id', 'in', intents)
}

/** A finding that only a person can decide about; the next comparison does not see it any more. */
export function plantUndecidedFinding(userId: string): Promise<void> {
  return withDatabase(async (db) => {
    const finding = {
      kind: 'dispute_differs',
      object_id: `dp_of_${userId}`,
      owner_id: userId,
      data: { there_minor: 2000, here_minor: 1500, currency: 'EUR' },
      money: { amount_minor: 500, currency: 'EUR' },
      credits: null,
      repair: null,
    } as const
    await db.transaction().execute((trx) => saveFindings(trx, [finding], new Date()))
  })
}

/** An act that a person at the terminal asked for, and that the worker begins in an hour. */
export async function plantAct(asked: Pick<NewAct, 'kind' | 'target'> & Partial<NewAct>): Promise<void> {
  const inAnHour = new Date(Date.now() + 3_600_000)
  const act = buildNewAct({
    reason: 'After the outage of Friday',
    requested_by: 'cli:test',
    next_try_at: inAnHour,
    ...asked,
  })
  const none = { asker: 0, total: 0 }
  const limits = { adjust: none, refund: none }
  await withDatabase((db) => insertAct(db, act, { token: null, amount: 0, limits }))
}

/** No worker begins a job any more, as if none ran, until `resumeWorkers`. */
export const pauseWorkers = () => forEachQueue((queue) => queue.pause())
export const resumeWorkers = () => forEachQueue((queue) => queue.resume())

async function forEachQueue(change: (queue: Queue) => Promise<void>): Promise<void> {
  refuseForAll('database')
  const { producer, close } = openQueues({ databaseUrl: address('E2E_DATABASE_URL'), poolMax: 2 })
  for (const name of queueNames) await change(producer.queue(name))
  await close()
}

/** Resets both sandboxes, except an advanced clock. */
export async function calmProduct(): Promise<void> {
  await clearFaults()
  const body = JSON.stringify({ mode: 'normal' })
  await turnKnob(address('E2E_STRIPE_URL'), 'deliveries', { method: 'POST', body })
}

export function openSandboxStripe() {
  return createStripe({ secretKey: 'sk_test_sandbox', apiBase: address('E2E_STRIPE_URL') })
}

export function openSandboxClerk() {
  return openClerk({ secretKey: 'sk_test_sandbox', apiUrl: `${address('E2E_CLERK_URL')}/bapi` })
}

export async function findUserId(email: string): Promise<string> {
  const { data } = await openSandboxClerk().users.getUserList({ emailAddress: [email] })
  const [user] = data
  if (!user) throw new Error(`No user has the e-mail address ${email}.`)
  return user.id
}

/** As Clerk does when a password is in a list of leaked ones: the next sign-in asks for another. */
export async function compromisePassword({ email }: { readonly email: string }): Promise<void> {
  await openSandboxClerk().users.setPasswordCompromised(await findUserId(email))
}

/** Makes the next `count` calls about one person fail at the sign-in sandbox. */
export async function failCallsAbout(email: string, count: number): Promise<void> {
  const body = JSON.stringify({
    status: 500,
    count,
    path_prefix: `/bapi/v1/users/${await findUserId(email)}`,
  })
  await turnKnob(address('E2E_CLERK_URL'), 'faults', { method: 'POST', body })
}

async function turnKnob(sandboxUrl: string, path: string, request: RequestInit): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${sandboxUrl}/_sandbox/${path}`, { ...request, headers })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
}
