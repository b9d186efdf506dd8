import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { getSessionStatus, processPaymentSuccess } from '../../schema/api/checkout.ts'
import type { Endpoint } from '../../schema/api/endpoint.ts'
import { explainBalance, exportExplanation } from '../../schema/api/explanation.ts'
import { generateExtensionToken, reportUsage } from '../../schema/api/extension.ts'
import { reserveCredits } from '../../schema/api/holds.ts'
import { getStatement, listFindings } from '../../schema/api/reconciliation.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { getTrace, listWork, searchSupport } from '../../schema/api/support.ts'
import { getAuditLog } from '../../schema/api/support-acts.ts'
import { exportUsageReport, getUsageReport } from '../../schema/api/usage.ts'
import { saveFindings } from '../../schema/billing/reconciliation/findings.ts'
import { listKnownEvents } from '../../schema/inbox/events.ts'
import { postTransfers } from '../../schema/ledger/post/post.ts'
import { spendCredits } from '../../schema/ledger/spend/usage.ts'
import { processSubscriptionSync } from '../../worker/jobs/subscription-sync.ts'
import { owners } from '../../worker/reconciliation/owners.ts'
import { deleteOldRows } from '../../worker/tasks/delete-old-rows.ts'
import { endHolds } from '../../worker/tasks/end-holds.ts'
import { enqueueDueRows } from '../../worker/tasks/enqueue-due-rows.ts'
import { syncDueInvitations } from '../../worker/tasks/sync-invitations.ts'
import { eventOf, sessionOf } from '../support/factories/events.ts'
import { buildExtensionToken } from '../support/factories/extension-tokens.ts'
import { buildHold } from '../support/factories/holds.ts'
import {
  buildPaidCredits,
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../support/factories/paid-purchases.ts'
import {
  acceptInvitation,
  buildMember,
  buildTeam,
  giveSeat,
  invite,
  removeMember,
  type Team,
} from '../support/factories/teams.ts'
import { buildGrant, giveCredits } from '../support/factories/transfers.ts'
import { buildUser } from '../support/factories/users.ts'
import { type Callers, makeCallers } from '../support/product/example-calls.ts'
import type { TestProduct } from '../support/product/start-test-product.ts'
import type { ApiRequest } from '../support/product/test-server.ts'
import { type Person, signUp } from '../support/services/clerk.ts'

/**
 * Makes what is needed, and returns what is measured. It is a new person each time, with the same history.
 */
export type Path = (product: TestProduct) => Promise<() => Promise<unknown>>

/** A call, and its request. */
type Asked = readonly [Endpoint, ApiRequest<unknown>]

/** Events that were confirmed before are not written again. */
let compared = -1
/** Nothing else occurred on the day of a statement. */
let days = 0

/** What is done for each event, each month and each task, and calls that need a past. */
export const paths: Readonly<Record<string, Path>> = {
  'a webhook of Stripe': async ({ server }) => {
    const payload = JSON.stringify(eventOf('checkout.session.completed', sessionOf(randomUUID())))
    const signature = server.deps.stripe.webhooks.generateTestHeaderString({
      payload,
      secret: server.deps.settings.stripe_webhook_secrets[0],
    })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    return () => fetchOk(`${server.url}/api/stripe/webhook`, { method: 'POST', headers, body: payload })
  },

  'the events of a purchase of credits': async (product) => {
    const bought = await buildPaidCredits(product)
    return applyEvents(product, bought)
  },
  'the events of its refund': async (product) => {
    const bought = await buildPaidCredits(product)
    await (await applyEvents(product, bought))()
    const session = await product.stripe.client.checkout.sessions.retrieve(bought.session_id)
    await product.stripe.client.refunds.create({ payment_intent: String(session.payment_intent) })
    return applyEvents(product, bought)
  },
  'the events of a new monthly plan': async (product) => applyEvents(product, await buildPaidPlan(product)),
  'the events of its renewal': async (product) => {
    const bought = await buildUsedPlan(product, { billing_frequency: 'monthly' })
    await product.advanceDays(32)
    return applyEvents(product, bought)
  },
  'the events of its end': async (product) => {
    const bought = await buildUsedPlan(product, { billing_frequency: 'monthly' })
    await product.stripe.client.subscriptions.cancel(bought.subscription_id ?? '')
    return applyEvents(product, bought)
  },
  'the events of a new yearly plan': async (product) =>
    applyEvents(product, await buildPaidPlan(product, { billing_frequency: 'yearly' })),
  'the next month of a yearly plan': async (product) => {
    const bought = await buildUsedPlan(product, { billing_frequency: 'yearly' })
    await product.advanceDays(32)
    return () =>
      processSubscriptionSync(product.worker.deps, { subscription_id: bought.subscription_id ?? '' })
  },

  'usage of several payers in one group': async (product) => {
    const teams = [await buildTeamWithCredits(product), await buildTeamWithCredits(product)]
    return () =>
      spendCredits(
        product.database.server,
        teams.map(({ team }) => ({
          owner_id: team.organization.id,
          credits: 1,
          idempotency_key: randomUUID(),
          occurred_at: new Date(),
          actor: team.admin.user_id,
          reason: 'Completion',
        })),
      )
  },
  'the end of a hold that has expired, and of the month that was kept for it': async (product) => {
    const { database, worker, clock, stripe } = product
    // Those of other paths, whose time is over since the clock has moved.
    await endHolds(worker.deps)
    const bought = await buildUsedPlan(product, { billing_frequency: 'monthly' })
    // A plan that ends in the second in which it began had no month.
    await product.advanceDays(0.01)
    await buildHold(database.server, bought.owner_id, { occurred_at: clock.now(), lasting_s: 60 })
    await stripe.client.subscriptions.cancel(bought.subscription_id ?? '')
    await (await applyEvents(product, bought))()
    const deps = { ...worker.deps, now: () => new Date(clock.now().getTime() + 120_000) }
    return async () => {
      const { ended, closed } = await endHolds(deps)
      if (ended !== 1 || closed !== 1) throw new Error(`${ended} holds ended, ${closed} months closed`)
    }
  },

  'the events of an accepted invitation': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const person = await signUp(product.clerk)
    await invite(product, team, person.email)
    await acceptInvitation(product.clerk, person)
    return applyClerkEvents(product, person.user_id, person.email)
  },
  'the events of a member who leaves': async (product) => {
    const { team, member } = await buildTeamWithCredits(product)
    await removeMember(product.clerk, team, member)
    return applyClerkEvents(product, member.user_id)
  },
  'the events of a person who is deleted': async (product) => {
    const { member } = await buildTeamWithCredits(product)
    await product.clerk.client.users.deleteUser(member.user_id)
    return applyClerkEvents(product, member.user_id)
  },

  'the status of a session': async (product) => {
    const person = await signUp(product.clerk)
    await buildUser(product.database.server, person.user_id)
    const bought = await buildPaidCredits(product, { user_id: person.user_id })
    await (await applyEvents(product, bought))()
    const query = { session_id: bought.session_id }
    return () => product.server.ask(getSessionStatus, { token: person.token, query })
  },
  'the return from a payment': async (product) => {
    const person = await signUp(product.clerk)
    await buildUser(product.database.server, person.user_id)
    const bought = await buildPaidCredits(product, { user_id: person.user_id })
    const body = { sessionId: bought.session_id, clerkUserId: person.user_id }
    return () => product.server.ask(processPaymentSuccess, { token: person.token, body })
  },

  'a claim in which nothing is due': async ({ server, worker }) => {
    const deps = { ...worker.deps, producer: server.deps.producer, now: () => new Date(0) }
    return async () => {
      await enqueueDueRows(deps)
      await syncDueInvitations(deps)
    }
  },
  'a comparison of five events with Stripe’s list': async ({ database }) => {
    compared += 1
    const ids = Array.from({ length: 5 }, (_, i) => `evt_fill_${100 * i + compared}_1`)
    return () => listKnownEvents(database.worker, { source: 'stripe', ids })
  },
  'the look for old rows': async ({ worker }) => {
    const deps = { ...worker.deps, now: () => new Date(0) }
    return () => deleteOldRows(deps)
  },
  'the metrics of the server':
    async ({ server }) =>
    () =>
      fetchOk(`${server.monitoringUrl}/metrics`),
  'some owners of a reconciliation': async ({ worker }) => {
    const now = worker.deps.now()
    return () => owners.step({ deps: worker.deps, since: now, now }, 'user_fill_5')
  },
  'the statement of a day': async (product) => {
    days += 1
    // Each day is before all others in the table: a range of pages with other days as well is no hit.
    const day = `2020-03-${String(31 - days).padStart(2, '0')}`
    const user_id = await buildUser(product.database.server)
    const occurred_at = new Date(`${day}T12:00:00Z`)
    const grants = Array.from({ length: historyLength }, () => buildGrant(user_id, 1, { occurred_at }))
    await postTransfers(product.database.worker, grants)
    await summarizeDays(product)
    const { token } = await signUp(product.clerk, { role: 'support' })
    return () => product.server.ask(getStatement, { token, query: { day } })
  },
}

/** Calls whose arguments decide which statements are executed. */
export const variants: Readonly<Record<string, (callers: Callers) => Asked | Promise<Asked>>> = {
  'a deep page of an explanation': async ({ server, people }) => {
    const { token } = people.other_user
    const first = await server.ask(explainBalance, { token, query: { limit: '40' } })
    return [explainBalance, { token, query: { limit: '20', cursor: first.data.next_cursor ?? '' } }]
  },
  'a search in the transactions': ({ people }) => [
    explainBalance,
    { token: people.other_user.token, query: { q: 'nothing like it', category: 'correction' } },
  ],
  'an explained balance of an earlier day': ({ people }) => [
    explainBalance,
    { token: people.other_user.token, query: { limit: '20', date: lastMonth().to } },
  ],
  'the export of an explanation': ({ people }) => [exportExplanation, { token: people.other_user.token }],
  'an organization’s usage by editor': ({ people, org }) => [
    getUsageReport,
    { token: people.admin.token, query: { payer: org.id, ...lastMonth(), group_by: 'editor' } },
  ],
  'the export of a person’s usage': ({ people }) => [
    exportUsageReport,
    { token: people.other_user.token, query: { ...lastMonth(), group_by: 'model', format: 'csv' } },
  ],
  'the same checkout again': async ({ server, people }) => {
    const body = { clerkUserId: people.other_user.user_id, planType: 'pro' } as const
    const request = { token: people.other_user.token, body }
    await server.ask(createCheckoutSession, request)
    return [createCheckoutSession, request]
  },
  'a search of support by an address': ({ people }) => [
    searchSupport,
    { token: people.support.token, query: { q: people.member.email } },
  ],
  'a search of support by a hold': async ({ server, people }) => {
    const { access_token: token } = await server.ask(generateExtensionToken, { token: people.user.token })
    const body = { credits: 1, idempotency_key: randomUUID() }
    const { hold } = await server.ask(reserveCredits, { token, body })
    return [searchSupport, { token: people.support.token, query: { q: hold.id } }]
  },
  'a search in the list of work': ({ people }) => [
    listWork,
    { token: people.support.token, query: { text: 'Planted', kind: 'event' } },
  ],
  'the trace of a person with holds': ({ people }) => [
    getTrace,
    { token: people.support.token, query: { owner: people.user.user_id } },
  ],
  'the trace of an organization': ({ people, org }) => [
    getTrace,
    { token: people.support.token, query: { owner: org.id } },
  ],
  'the findings about a person': ({ people }) => [
    listFindings,
    { token: people.support.token, query: { owner: people.user.user_id, state: 'gone' } },
  ],
  'the audit log of a person': ({ people }) => [
    getAuditLog,
    { token: people.support.token, query: { owner_id: people.user.user_id } },
  ],
}

/** Callers of whom one has a long history, and one is the subject of findings. */
export async function makeCallersWithHistory(product: TestProduct): Promise<Callers> {
  const callers = await makeCallers(product)
  await buildHistory(product, callers.people.other_user.user_id)
  await buildFindings(product, callers.people.user.user_id)
  return callers
}

/**
 * As many that failed, and that are stuck, as the list looks at, and older than everybody else's; gone
 * afterwards.
 */
export async function withWork<T>({ database }: TestProduct, measure: () => Promise<T>): Promise<T> {
  // Otherwise they would be put where others left room, each on a page of its own.
  await sql`VACUUM (FULL) inbox_events`.execute(database.owner)
  for (const state of ['failed', 'received'] as const) {
    await sql`
      INSERT INTO inbox_events (source, id, type, occurred_at, received_at, payload, next_try_at, last_error, state, finished_at,
        reason)
      SELECT 'stripe', ${`evt_${state}_`} || i, 'invoice.paid', at, at, '{}', '2099-01-01Z', 'Planted', ${state},
        CASE ${state} WHEN 'failed' THEN at END, CASE ${state} WHEN 'failed' THEN 'Planted' END
      FROM generate_series(1, 1100) i, LATERAL (SELECT timestamptz '2026-07-01Z' + i * interval '1 second' AS at) time`.execute(
      database.owner,
    )
  }
  await sql`VACUUM (ANALYZE) inbox_events`.execute(database.owner)
  await summarizeDays({ database })
  const measured = await measure()
  await sql`DELETE FROM inbox_events WHERE last_error = 'Planted'`.execute(database.owner)
  await sql`VACUUM (ANALYZE) inbox_events`.execute(database.owner)
  return measured
}

/** As Autovacuum does within a minute: what it has not seen of the index of days is read whole. */
async function summarizeDays({ database }: Pick<TestProduct, 'database'>): Promise<void> {
  await sql`SELECT brin_summarize_new_values('ledger_transfers_occurred')`.execute(database.owner)
}

/** Ten that are open, the same ones each time; whose they are has no others. */
async function buildFindings({ database, clock }: TestProduct, owner_id: string): Promise<void> {
  const differences = Array.from({ length: 10 }, (_, number) => ({
    kind: 'refund_differs' as const,
    object_id: `ch_open_${number}`,
    owner_id,
    sentence: 'Planted',
    they_say: 'Planted',
    we_have: 'Planted',
    money: { amount_minor: 700, currency: 'EUR' },
    credits: 500,
    repair: null,
    advice: 'Planted',
  }))
  await database.worker.transaction().execute((trx) => saveFindings(trx, differences, clock.now()))
}

async function fetchOk(url: string, request?: RequestInit): Promise<void> {
  const answer = await fetch(url, request)
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
}

/**
 * Lets what happened to one customer of Stripe's since arrive; time passes for the others too, which is not
 * measured.
 */
async function applyEvents(
  { stripe, worker }: TestProduct,
  bought: Pick<PaidPurchase, 'customer_id'>,
): Promise<() => Promise<void>> {
  const events = (await stripe.takeEvents()).filter((event) =>
    JSON.stringify(event).includes(`"${bought.customer_id}"`),
  )
  if (events.length === 0) throw new Error(`Nothing happened to ${bought.customer_id}`)
  return () => worker.applyStripe(events)
}

async function applyClerkEvents(
  { clerk, worker }: TestProduct,
  ...about: readonly string[]
): Promise<() => Promise<void>> {
  const events = (await clerk.listEvents()).filter((event) =>
    about.some((word) => JSON.stringify(event.payload).includes(`"${word}"`)),
  )
  await clerk.forgetEvents()
  if (events.length === 0) throw new Error(`Nothing happened to ${about.join(', ')}`)
  return () => worker.applyAllOfClerk(events.slice(-2))
}

async function buildUsedPlan(product: TestProduct, order: PlanOrder): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, order)
  await (await applyEvents(product, bought))()
  await report(product, await buildToken(product, bought.user_id), 'personal')
  return bought
}

function buildToken({ database, clock }: TestProduct, userId: string): Promise<string> {
  return buildExtensionToken(database, userId, clock.now())
}

function lastMonth() {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  return { from: day(30), to: day(0) }
}

function report({ server }: TestProduct, token: string, payer: string): Promise<unknown> {
  const body = { credits: 1, payer, idempotency_key: randomUUID(), description: 'Chat' }
  return server.ask(reportUsage, { token, body })
}

const historyLength = 60

async function buildHistory({ database }: TestProduct, user_id: string): Promise<void> {
  const grants = Array.from({ length: historyLength }, () => buildGrant(user_id, 1))
  await postTransfers(database.worker, grants)
  const failed = { owner_id: user_id, actor: user_id, credits: 0 } as const
  await spendCredits(
    database.server,
    Array.from({ length: 5 }, () => ({
      ...failed,
      failure: 'timeout',
      idempotency_key: randomUUID(),
      occurred_at: new Date(),
      reason: 'Completion',
    })),
  )
}

async function buildTeamWithCredits(
  product: TestProduct,
): Promise<{ team: Team; member: Person; token: string }> {
  const team = await buildTeam(product, { seats: 5 })
  const owner_id = team.organization.id
  await giveCredits(product.database, owner_id, { plan: 100, purchased: 100 })
  const member = await buildMember(product.clerk, team)
  await buildUser(product.database.server, member.user_id)
  await giveSeat(product, team, member.email)
  await product.clerk.forgetEvents()
  const token = await buildToken(product, member.user_id)
  await report(product, token, team.organization.id)
  return { team, member, token }
}
