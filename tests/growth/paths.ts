import { randomUUID } from 'node:crypto'
import { reportUsage } from '../../schema/api/spending.ts'
import { processSubscriptionSync } from '../../worker/jobs/subscription-sync.ts'
import { owners } from '../../worker/reconciliation/owners.ts'
import { runTask, taskNames } from '../../worker/tasks/schedule.ts'
import { eventOf, sessionOf } from '../support/factories/events.ts'
import { buildExtensionToken } from '../support/factories/extension-tokens.ts'
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
} from '../support/factories/teams.ts'
import { buildUser } from '../support/factories/users.ts'
import type { TestProduct } from '../support/product/start-test-product.ts'
import { signUp } from '../support/services/clerk.ts'

/**
 * Makes what is needed, and returns what is measured. It is a new person each time, with the same history.
 */
export type Path = (product: TestProduct) => Promise<() => Promise<unknown>>

/** Tasks that go through everybody's rows, beside those of Stripe and Clerk. */
const comparing: ReadonlySet<string> = new Set(['reconcile', 'compare_seats', 'read_stripe_events'])

/** What is done for each event and each month, and by each task that looks for due rows. */
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

  'the events of an accepted invitation': async (product) => {
    const { team } = await buildTeamWithMember(product)
    const person = await signUp(product.clerk)
    await invite(product, team, person.email)
    await acceptInvitation(product.clerk, person)
    return applyClerkEvents(product, person.user_id, person.email)
  },
  'the events of a member who leaves': async (product) => {
    const { team, member } = await buildTeamWithMember(product)
    await removeMember(product.clerk, team, member)
    return applyClerkEvents(product, member.user_id)
  },
  'the events of a person who is deleted': async (product) => {
    const { member } = await buildTeamWithMember(product)
    await product.clerk.client.users.deleteUser(member.user_id)
    return applyClerkEvents(product, member.user_id)
  },

  'the metrics of the server':
    async ({ server }) =>
    () =>
      fetchOk(`${server.monitoringUrl}/metrics`),
  'some owners of a reconciliation': async ({ worker }) => {
    const now = worker.deps.now()
    return () => owners.step({ deps: worker.deps, since: now, now }, 'user_fill_5')
  },
  ...Object.fromEntries(
    taskNames
      .filter((name) => !comparing.has(name))
      .map((name): [string, Path] => [
        `the task ${name}, when nothing is due`,
        async ({ worker, server }) => {
          const deps = { ...worker.deps, producer: server.deps.producer, now: () => new Date(0) }
          return () => runTask(deps, name)
        },
      ]),
  ),
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
  await use(product, bought.user_id)
  return bought
}

async function use({ server, database, clock }: TestProduct, user_id: string): Promise<void> {
  const token = await buildExtensionToken(database, user_id, clock.now())
  const body = { credits: 1, payer: 'personal', idempotency_key: randomUUID(), description: 'Chat' }
  await server.ask(reportUsage, { token, body })
}

async function buildTeamWithMember(product: TestProduct) {
  const team = await buildTeam(product, { seats: 5 })
  const member = await buildMember(product.clerk, team)
  await buildUser(product.database.server, member.user_id)
  await giveSeat(product, team, member.email)
  await product.clerk.forgetEvents()
  return { team, member }
}
