import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { getAccountSummary } from '../../schema/api/account.ts'
import { listBillingDocuments } from '../../schema/api/billing.ts'
import {
  getSessionStatus,
  listOpenCheckouts,
  processPaymentSuccess,
  purchaseCredits,
} from '../../schema/api/checkout.ts'
import { getUsageSummary } from '../../schema/api/credits.ts'
import { explainBalance, exportExplanation } from '../../schema/api/explanation.ts'
import {
  choosePayer,
  choosePayerOfEditor,
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  listOwnPayers,
  listPayers,
  reportUsage,
  revokeAllExtensionTokens,
  revokeEditor,
  revokeExtensionToken,
  signOutEditor,
} from '../../schema/api/extension.ts'
import { extendHold, getHold, releaseHold, reserveCredits, settleHold } from '../../schema/api/holds.ts'
import { getOrganizationPeople } from '../../schema/api/organization-people.ts'
import { getOrganizationSeats } from '../../schema/api/organization-seats.ts'
import { getOrganizationCredits, getOrganizationSubscription } from '../../schema/api/organizations.ts'
import { getStatement, listFindings } from '../../schema/api/reconciliation.ts'
import { getTrace, listWork, searchSupport, visitCase } from '../../schema/api/support.ts'
import { getAuditLog, getSupportActs } from '../../schema/api/support-acts.ts'
import { listTeamInvitations } from '../../schema/api/team-invitations.ts'
import { exportOwnUsage, getOrganizationUsage } from '../../schema/api/usage.ts'
import { getUser } from '../../schema/api/users.ts'
import { confirmEvents, listUnconfirmedEvents } from '../../schema/inbox/known-events.ts'
import { postTransfers } from '../../schema/ledger/post/post.ts'
import { spendCredits } from '../../schema/ledger/spend/usage.ts'
import { saveFindings } from '../../schema/reconciliation/findings.ts'
import { applyEvents as applyTogether } from '../../worker/events/apply-events.ts'
import { processSubscriptionSync } from '../../worker/jobs/subscription-sync.ts'
import { owners } from '../../worker/reconciliation/owners.ts'
import { deleteOldRows } from '../../worker/tasks/delete-old-rows.ts'
import { endHolds } from '../../worker/tasks/end-holds.ts'
import { enqueueDueRows } from '../../worker/tasks/enqueue-due-rows.ts'
import { syncDueInvitations } from '../../worker/tasks/sync-invitations.ts'
import { syncKeptEvents } from '../../worker/tasks/sync-kept-events.ts'
import { buildWaitingAct } from '../support/factories/acts.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../support/factories/events.ts'
import { buildExtensionToken } from '../support/factories/extension-tokens.ts'
import { buildHold } from '../support/factories/holds.ts'
import {
  buildPaidCredits,
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../support/factories/paid-purchases.ts'
import { openPlanCheckout } from '../support/factories/plan-checkouts.ts'
import { buildPurchase } from '../support/factories/purchases.ts'
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
import { complete, exchange, newSignIn, signInBoundTo } from '../support/product/editor-sign-in.ts'
import type { TestProduct } from '../support/product/start-test-product.ts'
import type { ApiAnswer } from '../support/product/test-server.ts'
import { type Person, signUp } from '../support/services/clerk.ts'

/**
 * Makes what is needed, and returns what is measured. It is a new person each time, with the same history.
 */
export type Path = (product: TestProduct) => Promise<() => Promise<unknown>>

/** Events that were confirmed before are not written again. */
let compared = -1
/** Nothing else occurred on the day of a statement. */
let days = 0

/** Everything that people wait for, or that is done for each event and each month. */
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
  'three purchases that are applied together': async ({ database, worker }) => {
    const events: { id: string }[] = []
    for (let i = 0; i < 3; i++) {
      const { id } = await buildPurchase(database.server)
      const paid = eventOf('checkout.session.completed', sessionOf(id))
      events.push({ id: await receiveStripeEvent(database.server, paid) })
    }
    return () => applyTogether(worker.deps, 'stripe', events)
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

  'usage of a person': async (product) => {
    const token = await buildEditor(product)
    return () => report(product, token, 'personal')
  },
  'usage of an organization': async (product) => {
    const { team, token } = await buildTeamWithCredits(product)
    return () => report(product, token, team.organization.id)
  },
  'usage of several payers in one group': async (product) => {
    const teams = [await buildTeamWithCredits(product), await buildTeamWithCredits(product)]
    return () =>
      spendCredits(
        product.database.server,
        teams.map(({ team }) => ({
          owner_kind: 'organization',
          owner_id: team.organization.id,
          credits: 1,
          idempotency_key: randomUUID(),
          occurred_at: new Date(),
          actor: team.admin.user_id,
          reason: 'Completion',
        })),
      )
  },
  'a hold of a person that is settled': async (product) => {
    const token = await buildEditor(product)
    return async () => {
      const params = await reserve(product, token, 'personal')
      await product.server.ask(getHold, { token, params })
      await product.server.ask(settleHold, { token, params, body: { credits: 2 } })
    }
  },
  'a hold of an organization that is extended and released, and a refusal beside it': async (product) => {
    const { team, token } = await buildTeamWithCredits(product)
    const payer = team.organization.id
    return async () => {
      const params = await reserve(product, token, payer)
      await product.server.ask(extendHold, { token, params, body: { expires_in: 60 } })
      const body = { credits: 199, payer, idempotency_key: randomUUID() }
      const { status } = await product.server.api(reportUsage, { token, body })
      if (status !== 402) throw new Error(`The refusal is a ${status}`)
      await product.server.ask(releaseHold, { token, params })
    }
  },
  'the end of a hold that has expired, and of the month that was kept for it': async (product) => {
    const { database, worker, clock, stripe } = product
    // Those of other paths, whose time is over since the clock has moved.
    await endHolds(worker.deps)
    const bought = await buildUsedPlan(product, { billing_frequency: 'monthly' })
    // A plan that ends in the second in which it began had no month.
    await product.advanceDays(0.01)
    await buildHold(database.server, bought.owner, { occurred_at: clock.now(), lasting_s: 60 })
    await stripe.client.subscriptions.cancel(bought.subscription_id ?? '')
    await (await applyEvents(product, bought))()
    const deps = { ...worker.deps, now: () => new Date(clock.now().getTime() + 120_000) }
    return async () => {
      const { ended, closed } = await endHolds(deps)
      if (ended !== 1 || closed !== 1) throw new Error(`${ended} holds ended, ${closed} months closed`)
    }
  },
  'the balance of a person in an editor': async (product) => {
    const token = await buildEditor(product)
    return () => product.server.ask(getExtensionBalance, { token, query: { payer: 'personal' } })
  },
  'the balance of an organization in an editor': async (product) => {
    const { team, token } = await buildTeamWithCredits(product)
    return () => product.server.ask(getExtensionBalance, { token, query: { payer: team.organization.id } })
  },
  'who could pay in an editor, and a change of it': async (product) => {
    const { server } = product
    const { team, token } = await buildTeamWithCredits(product)
    return async () => {
      await server.ask(listPayers, { token })
      await server.ask(choosePayer, { token, body: { payer: team.organization.id } })
    }
  },
  'the tokens of an editor': async ({ server, clerk, database }) => {
    const { user_id, token } = await signUp(clerk)
    await buildUser(database.server, user_id)
    return async () => {
      const { access_token } = await server.ask(generateExtensionToken, { token })
      await server.ask(listOwnPayers, { token, query: {} })
      await server.ask(choosePayerOfEditor, { token, body: { payer: 'personal' } })
      await server.ask(signOutEditor, { token: access_token })
      await server.ask(getActiveExtensionToken, { token })
      await server.ask(revokeExtensionToken, { token })
      await server.ask(revokeAllExtensionTokens, { token })
    }
  },
  'a sign-in of an editor': async ({ server, clerk, database }) => {
    const person = await signUp(clerk)
    await buildUser(database.server, person.user_id)
    const { token } = person
    return async () => {
      requireOk(await exchange(server, await signInBoundTo(server, person)))
      const { editors } = await server.ask(getActiveExtensionToken, { token })
      await server.ask(revokeEditor, { token, body: { id: editors[0]?.id ?? '' } })
    }
  },
  'a sign-in of an editor by the alternative page': async ({ server, clerk, database }) => {
    const person = await signUp(clerk)
    await buildUser(database.server, person.user_id)
    return async () => requireOk(await complete(server, newSignIn(), person))
  },
  'a person’s account': async (product) => {
    const person = await buildPersonWithHistory(product)
    return () => product.server.ask(getUser, { token: person.token, query: { clerkId: person.user_id } })
  },
  'the summary of a person’s account': async (product) => {
    const person = await buildPersonWithHistory(product)
    await buildPaidCredits(product, { user_id: person.user_id })
    return () => product.server.ask(getAccountSummary, { token: person.token, query: {} })
  },
  'an explained balance of now': async (product) => {
    const { token } = await buildPersonWithHistory(product)
    return () => product.server.ask(explainBalance, { token, query: { limit: '20' } })
  },
  'a deep page of an explanation': async (product) => {
    const { token } = await buildPersonWithHistory(product)
    const first = await product.server.ask(explainBalance, { token, query: { limit: '40' } })
    const cursor = first.data.next_cursor ?? ''
    return () => product.server.ask(explainBalance, { token, query: { limit: '20', cursor } })
  },
  'a search in the transactions': async (product) => {
    const { token } = await buildPersonWithHistory(product)
    const query = { q: 'nothing like it', category: 'correction' }
    return () => product.server.ask(explainBalance, { token, query })
  },
  'an explained balance of an earlier day': async (product) => {
    const { token } = await buildPersonWithHistory(product)
    const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    return () => product.server.ask(explainBalance, { token, query: { limit: '20', date } })
  },
  'the export of an explanation': async (product) => {
    const { token } = await buildPersonWithHistory(product)
    return () => product.server.ask(exportExplanation, { token, query: {} })
  },
  'an organization’s transactions': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const query = { payer: team.organization.id }
    return () => product.server.ask(explainBalance, { token: team.admin.token, query })
  },
  'a person’s summary of usage': async (product) => {
    const { token } = await buildPersonWithHistory(product)
    return () => product.server.ask(getUsageSummary, { token, query: { time_zone: 'Europe/Berlin' } })
  },
  'an organization’s summary of usage': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const query = { payer: team.organization.id }
    return () => product.server.ask(getUsageSummary, { token: team.admin.token, query })
  },
  'an organization’s usage by editor': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const query = { ...lastMonth(), group_by: 'editor' }
    const params = { org_id: team.organization.id }
    return () => product.server.ask(getOrganizationUsage, { token: team.admin.token, params, query })
  },
  'the export of a person’s usage': async (product) => {
    const { token } = await buildPersonWithHistory(product)
    const query = { ...lastMonth(), group_by: 'model', format: 'csv' }
    return () => product.server.ask(exportOwnUsage, { token, query })
  },
  'a person’s invoices': async (product) => {
    const person = await buildPersonWithHistory(product)
    const query = { payer: 'personal' }
    return () => product.server.ask(listBillingDocuments, { token: person.token, query })
  },

  'an organization’s credits': (product) => readTeam(product, getOrganizationCredits),
  'the summary of an organization’s account': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const query = { payer: team.organization.id }
    return () => product.server.ask(getAccountSummary, { token: team.admin.token, query })
  },
  'an organization’s subscription': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const query = { orgId: team.organization.id }
    return () => product.server.ask(getOrganizationSubscription, { token: team.admin.token, query })
  },
  'an organization’s seats': (product) => readTeam(product, getOrganizationSeats),
  'an organization’s people': (product) => readTeam(product, getOrganizationPeople),
  'an organization’s invitations': (product) => readTeam(product, listTeamInvitations),
  'a subscription’s invitations': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const query = { subscription_id: team.subscription_id }
    return () => product.server.ask(listTeamInvitations, { token: team.admin.token, query })
  },
  'an invitation': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    return () => invite(product, team, `${randomUUID().slice(0, 8)}@tidemark.test`)
  },
  'the events of an accepted invitation': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const person = await signUp(product.clerk)
    await invite(product, team, person.email)
    await acceptInvitation(product.clerk, person)
    return applyClerkEvents(product, person.user_id, person.email)
  },
  'a seat': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const member = await buildMember(product.clerk, team)
    return () => giveSeat(product, team, member.email)
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

  'a checkout of credits': async (product) => {
    const person = await buildPersonWithHistory(product)
    const body = { clerkUserId: person.user_id, credits: 500, amount: 7, currency: 'EUR' as const }
    return () => product.server.ask(purchaseCredits, { token: person.token, body })
  },
  'a checkout of a plan': async (product) => {
    const person = await buildPersonWithHistory(product)
    return () => openPlanCheckout(product.server, person)
  },
  'the same checkout again': async (product) => {
    const person = await buildPersonWithHistory(product)
    await openPlanCheckout(product.server, person)
    return () => openPlanCheckout(product.server, person)
  },
  'the status of a session': async (product) => {
    const person = await buildPersonWithHistory(product)
    const bought = await buildPaidCredits(product, { user_id: person.user_id })
    await (await applyEvents(product, bought))()
    const query = { session_id: bought.session_id }
    return () => product.server.ask(getSessionStatus, { token: person.token, query })
  },
  'the return from a payment': async (product) => {
    const person = await buildPersonWithHistory(product)
    const bought = await buildPaidCredits(product, { user_id: person.user_id })
    const body = { sessionId: bought.session_id, clerkUserId: person.user_id }
    return () => product.server.ask(processPaymentSuccess, { token: person.token, body })
  },
  'the orders that were left': async (product) => {
    const person = await buildPersonWithHistory(product)
    const body = { clerkUserId: person.user_id, credits: 500, amount: 7, currency: 'EUR' } as const
    await product.server.ask(purchaseCredits, { token: person.token, body })
    return () => product.server.ask(listOpenCheckouts, { token: person.token })
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
    const content = { type: 'invoice.paid', object_id: null, payment_status: null }
    const ids = Array.from({ length: 5 }, (_, i) => `evt_fill_${100 * i + compared}_1`)
    // The events of other paths become due while the test runs: exactly these five are.
    await sql`
      UPDATE inbox_events SET confirm_at = CASE WHEN id = ANY (${ids}) THEN received_at END
      WHERE confirm_at IS NOT NULL OR source = 'stripe' AND id = ANY (${ids})`.execute(database.owner)
    return async () => {
      await listUnconfirmedEvents(database.worker, { now: new Date(), limit: 50 })
      await confirmEvents(database.worker, {
        source: 'stripe',
        events: new Map(ids.map((id) => [id, content] as const)),
        now: new Date(),
      })
    }
  },
  'the look for kept events and old rows': async ({ worker }) => {
    const deps = { ...worker.deps, now: () => new Date(0) }
    return async () => {
      await syncKeptEvents(deps)
      await deleteOldRows(deps)
    }
  },

  'a search of support by a payment': async (product) => {
    const bought = await buildPaidCredits(product)
    await (await applyEvents(product, bought))()
    return askSupport(product, (token) =>
      product.server.ask(searchSupport, { token, query: { q: bought.session_id } }),
    )
  },
  'a search of support by an address': async (product) => {
    const { member } = await buildTeamWithCredits(product)
    return askSupport(product, (token) =>
      product.server.ask(searchSupport, { token, query: { q: member.email } }),
    )
  },
  'a search of support by a hold': async (product) => {
    const owner = { owner_kind: 'user', owner_id: await buildUser(product.database.server) } as const
    await giveCredits(product.database, owner, { purchased: 100 })
    const { id } = await buildHold(product.database.server, owner)
    return askSupport(product, (token) => product.server.ask(searchSupport, { token, query: { q: id } }))
  },
  'the trace of a hold that was settled above what was reserved': async (product) => {
    const owner = { owner_kind: 'user', owner_id: await buildUser(product.database.server) } as const
    await giveCredits(product.database, owner, { purchased: 100 })
    const { id } = await buildHold(product.database.server, owner)
    const settlement = {
      ...owner,
      action: 'settle',
      actor: owner.owner_id,
      hold_id: id,
      credits: 200,
    } as const
    await spendCredits(product.database.server, [{ ...settlement, occurred_at: new Date() }])
    const query = { owner: owner.owner_id, usage: 'shown' }
    return askSupport(product, (token) => product.server.ask(getTrace, { token, query }))
  },
  'the trace of a person': async (product) => {
    // Not one with a long history: among few owners Postgres joins that with whole tables, which is cheaper
    // than it will ever be again.
    const bought = await buildPaidCredits(product)
    await (await applyEvents(product, bought))()
    const query = { owner: bought.user_id, usage: 'shown' }
    return askSupport(product, (token) => product.server.ask(getTrace, { token, query }))
  },
  'the trace of an organization': async (product) => {
    const { team } = await buildTeamWithCredits(product)
    const query = { owner: team.organization.id }
    return askSupport(product, (token) => product.server.ask(getTrace, { token, query }))
  },

  'the acts that wait for a second person': async (product) => {
    await buildActs(product)
    return askSupport(product, (token) => product.server.ask(getSupportActs, { token }))
  },
  'the acts of a person': async (product) => {
    const query = { owner_id: await buildActs(product) }
    return askSupport(product, (token) => product.server.ask(getSupportActs, { token, query }))
  },
  'the audit log': (product) =>
    askSupport(product, (token) => product.server.ask(getAuditLog, { token, query: {} })),
  'the audit log of a person': async (product) => {
    const query = { owner_id: await buildActs(product) }
    return askSupport(product, (token) => product.server.ask(getAuditLog, { token, query }))
  },
  'the list of findings': async (product) => {
    await buildFindings(product)
    return askSupport(product, (token) => product.server.ask(listFindings, { token, query: {} }))
  },
  'the findings about a person': async (product) => {
    const query = { owner: await buildFindings(product), state: 'gone' } as const
    return askSupport(product, (token) => product.server.ask(listFindings, { token, query }))
  },

  'a visit of a case': async (product) => {
    const owner = await buildUser(product.database.server)
    return askSupport(product, (token) => product.server.ask(visitCase, { token, body: { owner } }))
  },

  'whether the server is ready':
    async ({ server }) =>
    () =>
      fetch(`${server.monitoringUrl}/readyz`),
  'the metrics of the server':
    async ({ server }) =>
    () =>
      fetchOk(`${server.monitoringUrl}/metrics`),

  'some owners of a reconciliation': async ({ worker }) => {
    const now = worker.deps.now()
    return () => owners.step({ deps: worker.deps, since: now, now }, 'user/user_fill_5')
  },
  'the statement of a day': async (product) => {
    days += 1
    // Each day is before all others in the table: a range of pages with other days as well is no hit.
    const day = `2020-03-${String(31 - days).padStart(2, '0')}`
    const user_id = await buildUser(product.database.server)
    const occurred_at = new Date(`${day}T12:00:00Z`)
    const grants = Array.from({ length: historyLength }, () => buildGrant(user_id, 1, { occurred_at }))
    await postTransfers(product.database.worker, grants)
    // As Autovacuum does within a minute: what it has not seen of the index of days is read whole.
    await sql`
      SELECT brin_summarize_new_values(indexrelid::regclass) FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid
      WHERE inhparent = 'ledger_transfers_occurred'::regclass`.execute(product.database.owner)
    return askSupport(product, (token) => product.server.ask(getStatement, { token, query: { day } }))
  },
}

/** What is measured while `withWork` has failed and stuck events in the inbox. */
export const workPaths: Readonly<Record<string, Path>> = {
  'the list of work': (product) =>
    askSupport(product, (token) => product.server.ask(listWork, { token, query: {} })),
  'a search in the list of work': (product) => {
    const query = { text: 'Planted', kind: 'event' }
    return askSupport(product, (token) => product.server.ask(listWork, { token, query }))
  },
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
      WITH filed AS (
        INSERT INTO inbox_payloads (source, id, filed_at, payload)
        SELECT 'stripe', ${`evt_${state}_`} || i, '2026-08-01Z', '{}' FROM generate_series(1, 1100) i)
      INSERT INTO inbox_events (source, id, type, occurred_at, received_at, payload_filed_at, next_try_at, last_error, state, finished_at,
        reason)
      SELECT 'stripe', ${`evt_${state}_`} || i, 'invoice.paid', at, at, '2026-08-01Z', '2099-01-01Z', 'Planted', ${state},
        CASE ${state} WHEN 'failed' THEN at END, CASE ${state} WHEN 'failed' THEN 'Planted' END
      FROM generate_series(1, 1100) i, LATERAL (SELECT timestamptz '2026-07-01Z' + i * interval '1 second' AS at) time`.execute(
      database.owner,
    )
  }
  await sql`VACUUM (ANALYZE) inbox_events`.execute(database.owner)
  const measured = await measure()
  await sql`DELETE FROM inbox_events WHERE last_error = 'Planted'`.execute(database.owner)
  await sql`DELETE FROM inbox_payloads WHERE id ~ '^evt_(failed|received)_'`.execute(database.owner)
  await sql`VACUUM (ANALYZE) inbox_events`.execute(database.owner)
  return measured
}

/**
 * Asks as support staff, and not for the first time: that writes down that a case was opened, and each of the
 * connections that are asked at once reads the catalogue and plans a function.
 */
async function askSupport(
  { clerk }: TestProduct,
  ask: (token: string) => Promise<unknown>,
): Promise<() => Promise<unknown>> {
  const { token } = await signUp(clerk, { role: 'support' })
  for (let times = 0; times < 15; times++) await ask(token)
  return () => ask(token)
}

/** An act that waits for a second person, for a new person; no other act does. */
async function buildActs({ database, clock }: TestProduct): Promise<string> {
  await database.owner
    .updateTable('support_acts')
    .set({ state: 'refused', refused_by: 'user_sue', error: 'No', finished_at: clock.now() })
    .where('state', '=', 'waiting_for_approval')
    .execute()
  const user_id = await buildUser(database.server)
  const target = { kind: 'user', id: user_id } as const
  await buildWaitingAct(database, { target })
  return user_id
}

/** Ten that are open, the same ones each time; whose they are has no others. */
async function buildFindings({ database, clock }: TestProduct): Promise<string> {
  const owner_id = await buildUser(database.server)
  const differences = Array.from({ length: 10 }, (_, number) => ({
    kind: 'refund_differs' as const,
    object_id: `ch_open_${number}`,
    owner: { owner_kind: 'user', owner_id } as const,
    sentence: 'Planted',
    they_say: 'Planted',
    we_have: 'Planted',
    money: { amount_minor: 700, currency: 'EUR' },
    credits: 500,
    repair: null,
    advice: 'Planted',
  }))
  await database.worker.transaction().execute((trx) => saveFindings(trx, differences, clock.now()))
  return owner_id
}

function requireOk({ status, body }: ApiAnswer): void {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
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

async function buildEditor(product: TestProduct): Promise<string> {
  const { database } = product
  const user_id = await buildUser(database.server)
  await giveCredits(database, { owner_kind: 'user', owner_id: user_id }, { plan: 100, purchased: 100 })
  return buildToken(product, user_id)
}

function lastMonth() {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  return { from: day(30), to: day(0) }
}

function report({ server }: TestProduct, token: string, payer: string): Promise<unknown> {
  const body = { credits: 1, payer, idempotency_key: randomUUID(), description: 'Chat' }
  return server.ask(reportUsage, { token, body })
}

async function reserve({ server }: TestProduct, token: string, payer: string): Promise<{ id: string }> {
  const body = { credits: 1, payer, idempotency_key: randomUUID() }
  return { id: (await server.ask(reserveCredits, { token, body })).hold.id }
}

const historyLength = 60

async function buildPersonWithHistory(product: TestProduct): Promise<Person> {
  const person = await signUp(product.clerk)
  await buildUser(product.database.server, person.user_id)
  const grants = Array.from({ length: historyLength }, () => buildGrant(person.user_id, 1))
  await postTransfers(product.database.worker, grants)
  const failed = { owner_kind: 'user', owner_id: person.user_id, actor: person.user_id, credits: 0 } as const
  await spendCredits(
    product.database.server,
    Array.from({ length: 5 }, () => ({
      ...failed,
      failure: 'timeout',
      idempotency_key: randomUUID(),
      occurred_at: new Date(),
      reason: 'Completion',
    })),
  )
  return person
}

async function buildTeamWithCredits(
  product: TestProduct,
): Promise<{ team: Team; member: Person; token: string }> {
  const team = await buildTeam(product, { seats: 5 })
  const owner = { owner_kind: 'organization', owner_id: team.organization.id } as const
  await giveCredits(product.database, owner, { plan: 100, purchased: 100 })
  const member = await buildMember(product.clerk, team)
  await buildUser(product.database.server, member.user_id)
  await giveSeat(product, team, member.email)
  await product.clerk.forgetEvents()
  const token = await buildToken(product, member.user_id)
  await report(product, token, team.organization.id)
  return { team, member, token }
}

async function readTeam(
  product: TestProduct,
  endpoint:
    | typeof getOrganizationCredits
    | typeof getOrganizationPeople
    | typeof getOrganizationSeats
    | typeof listTeamInvitations,
): Promise<() => Promise<unknown>> {
  const { team } = await buildTeamWithCredits(product)
  const query = { org_id: team.organization.id }
  return () => product.server.ask(endpoint, { token: team.admin.token, query })
}

const noTable = 'It reads no table.'
const vendor = 'It reads one row by its key, and asks Stripe.'
const like = (path: string) => {
  if (!(path in paths)) throw new Error(`There is no path “${path}”`)
  return `It has the statements of “${path}”.`
}

/** Calls of the contract that are not measured, and why. */
export const unmeasured: Readonly<Record<string, string>> = {
  'GET /api/config': noTable,
  'GET /api/plans': noTable,
  'POST /api/auth/initiate-vscode-auth': noTable,
  'GET /api/account/next-payment': vendor,
  'GET /api/account/offered-card': vendor,
  'POST /api/account/pay-overdue': vendor,
  'POST /api/stripe/create-customer-portal-session': vendor,
  'POST /api/organizations/create-billing-portal': vendor,
  'POST /api/organizations/buy-seats': vendor,
  'GET /api/plan-change': vendor,
  'GET /api/plan-change/own-plan': like('an explained balance of now'),
  'POST /api/plan-change': vendor,
  'POST /api/plan-change/keep': vendor,
  'POST /api/plan-change/cancel': vendor,
  'POST /api/stripe/create-credit-topup-session': like('a checkout of credits'),
  'POST /api/organizations/credits/topup': like('a checkout of credits'),
  'POST /api/organizations/create-subscription': like('a checkout of a plan'),
  'POST /api/user/initialize': 'It inserts one row by its key.',
  'POST /api/starter/process-signup': 'It inserts one row by its key.',
  'POST /api/account/currency': 'It inserts one row by its key.',
  'POST /api/organizations/seats/revoke': like('a seat'),
  'POST /api/team-invitations/revoke': like('an invitation'),
  'GET /api/support/statement/export': like('the statement of a day'),
  'GET /api/support/reconciliation/runs': 'It reads the latest rows of a table that no owner adds to.',
  'POST /api/support/reconciliation/runs': 'It inserts one row.',
  'GET /api/support/customer/balance': like('an explained balance of now'),
  'GET /api/support/customer/usage': like('a person’s summary of usage'),
  'GET /api/support/customer/invoices': vendor,
  'POST /api/support/acts': 'It inserts one row for each target; what an act does has its own path.',
  'POST /api/support/acts/approve': 'It changes one row by its key.',
  'POST /api/support/acts/refuse': 'It changes one row by its key.',
  'POST /api/support/acts/cancel': 'It changes the rows of one batch, of which an index has them.',
}
