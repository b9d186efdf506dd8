import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { payOverdue } from '../../../schema/api/account.ts'
import { addressOf } from '../../../schema/api/endpoint.ts'
import { generateExtensionToken } from '../../../schema/api/extension.ts'
import { reserveCredits } from '../../../schema/api/holds.ts'
import { assignSeat } from '../../../schema/api/organization-seats.ts'
import { createOrganizationSubscription } from '../../../schema/api/organizations.ts'
import { createCheckoutSession, createCustomerPortalSession } from '../../../schema/api/subscriptions.ts'
import { sendTeamInvitation } from '../../../schema/api/team-invitations.ts'
import { findStripeCustomer } from '../../../schema/billing/customers/customers.ts'
import { findLiveSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { listTokens } from '../../../schema/extension/tokens.ts'
import { listBudgets, setBudget } from '../../../schema/ledger/budgets.ts'
import type { Actor, RightsRow } from '../../../server/rights.ts'
import type { Route } from '../../../server/route.ts'
import { routes } from '../../../server/routes.ts'
import { buildWaitingAct } from '../factories/acts.ts'
import { addMember, buildOrganization, type TestOrganization } from '../factories/organizations.ts'
import { buildSubscription } from '../factories/subscriptions.ts'
import { giveCredits } from '../factories/transfers.ts'
import { buildUser } from '../factories/users.ts'
import { type Person, signUp } from '../services/clerk.ts'
import { newSignIn, prepare, signedRequestOf, signInBoundTo } from './editor-sign-in.ts'
import type { TestProduct } from './start-test-product.ts'

/** A route, and what the call is about. */
export type Case = Route & { readonly row: RightsRow }

/** A caller with a plan may order no second one, and one whose plan is overdue may change nothing. */
const needsPlan = ({ path }: Route) => Number(path === payOverdue.path)

/** Every mounted route, in an order in which all may be called by the same people. */
export const cases: readonly Case[] = routes
  .toSorted((a, b) => needsPlan(a) - needsPlan(b))
  .flatMap((route) => route.rights.map((row) => ({ ...route, row })))

export const nameOf = ({ method, path, row: { about } }: Case) =>
  `${method} ${path}${about === 'an_organization' ? ` ${about}` : ''}`

/** The people who call, and what they have. */
export interface Callers extends Pick<TestProduct, 'database' | 'stripe' | 'clerk' | 'server'> {
  readonly people: Readonly<Record<Exclude<Actor, 'anonymous'>, Person>>
  /** Has a subscription with seats. */
  readonly org: TestOrganization
  /** Has the same people and no subscription. */
  readonly unsubscribed: TestOrganization
}

/** Needs a product with Stripe's prices and Clerk's sandbox. */
export async function makeCallers({ database, stripe, clerk, server }: TestProduct): Promise<Callers> {
  const people = {
    user: await signUp(clerk),
    other_user: await signUp(clerk),
    member: await signUp(clerk),
    admin: await signUp(clerk),
    other_admin: await signUp(clerk),
    support: await signUp(clerk, { role: 'support' }),
  }
  const org = await buildOrganization(clerk, people.admin)
  const unsubscribed = await buildOrganization(clerk, people.admin)
  const callers = { database, stripe, clerk, server, people, org, unsubscribed }
  for (const person of Object.values(people)) {
    await buildUser(database.owner, person.user_id)
    await giveCredits(database, person.user_id, { purchased: 1000 })
  }
  for (const organization of [org, unsubscribed]) await addMember(clerk, organization, people.member)
  await buildOrganization(clerk, people.other_admin)
  await giveCredits(database, org.id, { purchased: 1000 })
  await subscribe(callers, 50)
  // As the worker does when the seats are there: an organization at Clerk has five places at first.
  await clerk.client.organizations.updateOrganization(org.id, { maxAllowedMemberships: 50 })
  for (const person of [people.admin, people.member]) await giveSeat(callers, person)
  return callers
}

/** Seats that were bought and paid at Stripe, and are in our rows as the worker writes them. */
async function subscribe({ database, stripe, server, people, org }: Callers, seats: number): Promise<void> {
  const { sessionId } = await server.ask(createOrganizationSubscription, {
    token: people.admin.token,
    body: { clerk_org_id: org.id, seats_total: seats },
  })
  await stripe.knob(`sessions/${sessionId}/pay`)
  const session = await server.deps.stripe.checkout.sessions.retrieve(sessionId)
  await database.owner.deleteFrom('checkout_intents').where('owner_id', '=', org.id).execute()
  await buildSubscription(database, {
    owner_id: org.id,
    user_id: people.admin.user_id,
    seats,
    fields: { stripe_subscription_id: String(session.subscription) },
  })
}

function giveSeat({ server, people, org }: Callers, { email }: Person): Promise<unknown> {
  const body = { org_id: org.id, email, role: 'member' } as const
  return server.ask(assignSeat, { token: people.admin.token, body })
}

const freshEmail = () => `${randomUUID()}@tidemark.test`

/** Pro, as it is at Stripe and in our rows. A caller's second change finds the plan that is there. */
async function givePlan(callers: Callers, actor: Actor): Promise<void> {
  if (actor === 'anonymous') return
  const { database, stripe, server, people } = callers
  const { user_id, token } = people[actor]

  if (await findLiveSubscription(database.owner, user_id)) return setStatus(callers, user_id, 'active')
  // It makes the customer.
  await server.ask(createCustomerPortalSession, { token, body: { userId: user_id } })
  const customer = (await findStripeCustomer(database.owner, user_id)) ?? ''
  const card = await stripe.client.paymentMethods.attach('pm_card_visa', { customer })
  const { data } = await stripe.client.prices.list({ lookup_keys: ['pro_monthly'] })
  const { id } = await stripe.client.subscriptions.create({
    customer,
    items: [{ price: data[0]?.id ?? '' }],
    default_payment_method: card.id,
  })
  // An owner has one checkout of a plan at a time, and `sessionOfUser` has opened one.
  await database.owner.deleteFrom('checkout_intents').where('owner_id', '=', user_id).execute()
  await buildSubscription(database, { owner_id: user_id, user_id, fields: { stripe_subscription_id: id } })
}

const toYearly = async (callers: Callers, actor: Actor): Promise<Request> => {
  await givePlan(callers, actor)
  return { query: { payer: 'personal' }, body: { billing_frequency: 'yearly' } }
}
const ofPlan = async (callers: Callers, actor: Actor): Promise<Request> => {
  await givePlan(callers, actor)
  return { query: { payer: 'personal' }, body: {} }
}

/** About the limit of all on an owner's credits. */
async function ofBudget({ database }: Callers, owner_id: string, body: object = {}): Promise<Request> {
  const isPerson = owner_id.startsWith('user_')
  const now = new Date()
  const scope = isPerson ? 'own' : 'organization'
  await setBudget(database.server, {
    owner_id,
    scope,
    user_id: null,
    credits: 1000,
    period: 'day',
    set_by: owner_id,
    now,
  })
  const [budget] = await listBudgets(database.server, { owner_id, people: [owner_id], now })
  return { query: { payer: isPerson ? 'personal' : owner_id }, body: { budget_id: budget?.id, ...body } }
}

/** Overdue is a renewal that is paid at Stripe, and not yet in our row. */
async function setStatus(
  { database }: Callers,
  owner_id: string,
  status: 'active' | 'past_due',
): Promise<void> {
  await database.owner.updateTable('subscriptions').set({ status }).where('owner_id', '=', owner_id).execute()
}

interface Request {
  readonly params?: object
  readonly body?: object
  readonly query?: Record<string, string>
}

/**
 * What calls are asked about something that has to be made first, so that a caller who may do it succeeds. A
 * call whose contract says enough is not listed: see `requestOf`.
 */
const requests: Readonly<Record<string, (callers: Callers, actor: Actor) => Request | Promise<Request>>> = {
  'POST /api/user/initialize': ({ people }) => ({
    body: {
      clerkUser: { id: people.user.user_id, emailAddresses: [], firstName: null, lastName: null },
      planType: 'starter',
    },
  }),
  'POST /api/billing/credit-purchase': ({ people }) => ({
    body: { clerkUserId: people.user.user_id, credits: 500, amount: 7, currency: 'EUR' },
  }),
  'POST /api/organizations/create-subscription': ({ unsubscribed }) => ({
    body: { clerk_org_id: unsubscribed.id },
  }),
  'POST /api/organizations/buy-seats': (callers, actor) => ({
    // In one's own name: that of another is refused before anything else.
    body: { orgId: callers.org.id, clerkUserId: idOf(callers, actor), quantity: 1 },
  }),
  'GET /api/plan-change': async (callers, actor) => ({ query: (await ofPlan(callers, actor)).query ?? {} }),
  'POST /api/plan-change': toYearly,
  'POST /api/plan-change an_organization': ({ org }) => ({
    query: { payer: org.id },
    body: { billing_frequency: 'yearly' },
  }),
  'POST /api/account/pay-overdue': async (callers, actor) => {
    const request = await ofPlan(callers, actor)
    await setStatus(callers, idOf(callers, actor), 'past_due')
    return request
  },
  'POST /api/account/pay-overdue an_organization': async (callers) => {
    await setStatus(callers, callers.org.id, 'past_due')
    return { query: { payer: callers.org.id }, body: {} }
  },
  'POST /api/plan-change/keep': ofPlan,
  'POST /api/plan-change/cancel': ofPlan,
  'PUT /api/budgets': () => ({ query: { payer: 'personal' }, body: { scope: 'own', limit: 1000 } }),
  'PUT /api/budgets an_organization': ({ org }) => ({
    query: { payer: org.id },
    body: { scope: 'organization', limit: 1000 },
  }),
  'POST /api/budgets/raise': (callers, actor) => ofBudget(callers, idOf(callers, actor), { limit: 2000 }),
  'POST /api/budgets/raise an_organization': (callers) =>
    ofBudget(callers, callers.org.id, { user_id: callers.people.member.user_id, limit: 2000 }),
  'POST /api/budgets/ask': (callers, actor) => ofBudget(callers, idOf(callers, actor)),
  'POST /api/budgets/ask an_organization': (callers) => ofBudget(callers, callers.org.id),
  'POST /api/organizations/seats/revoke': async (callers, actor) => {
    const { clerk, org } = callers
    const person = await signUp(clerk)
    await addMember(clerk, org, person)
    if (actor === 'admin') await giveSeat(callers, person)
    return { body: { org_id: org.id, user_id: person.user_id } }
  },
  'POST /api/team-invitations/revoke': async ({ server, people, org }) => {
    const { invitation } = await server.ask(sendTeamInvitation, {
      token: people.admin.token,
      body: { org_id: org.id, email: freshEmail() },
    })
    return { body: { id: invitation.id } }
  },

  'POST /api/extension-token/revoke-editor': async (callers) => ({
    body: { id: await tokenIdOfUser(callers) },
  }),
  'POST /api/extension-token/payer': async (callers) => ({
    body: { id: await tokenIdOfUser(callers), payer: 'personal' },
  }),
  'GET /api/extension/holds/{id}': holdOfUser,
  'POST /api/extension/holds/{id}/extend': async (callers) => ({
    ...(await holdOfUser(callers)),
    body: { expires_in: 1 },
  }),
  'POST /api/extension/holds/{id}/settle': async (callers) => ({
    ...(await holdOfUser(callers)),
    body: { credits: 1 },
  }),
  'POST /api/extension/holds/{id}/release': holdOfUser,
  'POST /api/auth/initiate-vscode-auth': () => {
    const { state, code_challenge, redirect_uri } = newSignIn()
    return { body: { state, code_challenge, redirect_uri } }
  },
  'POST /api/auth/update-auth-code': async ({ server, people }) => {
    const signIn = newSignIn()
    const request = await signedRequestOf(server, signIn)
    return { body: { state: signIn.state, request, clerk_user_id: people.user.user_id } }
  },
  'POST /api/auth/prepare-vscode-auth': ({ people }) => {
    const { state, redirect_uri } = newSignIn()
    return { body: { state, redirect_uri, clerk_user_id: people.user.user_id } }
  },
  'POST /api/auth/complete-vscode-auth': async ({ server, people }) => {
    const signIn = newSignIn()
    const { confirmation } = (await prepare(server, signIn, people.user)).body as { confirmation: string }
    const { state, redirect_uri } = signIn
    return { body: { state, redirect_uri, confirmation, clerk_user_id: people.user.user_id } }
  },
  'POST /api/auth/token': async ({ server, clerk }) => {
    const { code, state, redirect_uri, code_verifier } = await signInBoundTo(server, await signUp(clerk))
    return { body: { grant_type: 'authorization_code', code, state, redirect_uri, code_verifier } }
  },
  'GET /api/support/trace': ({ people }) => ({ query: { owner: people.user.user_id } }),
  // Without a day it is about as many as this month has had.
  'GET /api/support/statement': () => ({ query: { day: '2019-01-01' } }),
  'GET /api/support/statement/export': () => ({ query: { day: '2019-01-01' } }),
  'POST /api/support/acts': ({ people }) => ({
    body: {
      id: randomUUID(),
      kind: 'resync',
      targets: [{ kind: 'user', id: people.user.user_id }],
      is_dry_run: true,
    },
  }),
  'POST /api/support/acts/approve': async (callers) => ({ body: { id: await waitingAct(callers) } }),
  'POST /api/support/acts/refuse': async (callers) => ({
    body: { id: await waitingAct(callers), reason: 'It is too much' },
  }),
  'POST /api/support/acts/cancel': () => ({ body: { batch_id: randomUUID() } }),
}

/** Fields whose name says what they hold. */
const fields: Readonly<Record<string, (callers: Callers) => unknown>> = {
  session_id: sessionOfUser,
  sessionId: sessionOfUser,
  transfer_id: () => '1',
  idempotency_key: () => randomUUID(),
  owner: ({ people }) => people.user.user_id,
  credits: () => 1,
  payer: () => 'personal',
  creditsAmount: () => 500,
  credits_amount: () => 500,
}

/**
 * The required fields of a contract, and who pays where the request is about an organization. Ids are the
 * user's and the organization's, everything else is the least that will do. So a new call needs no line here
 * unless something has to be made before it.
 */
async function requestOf(callers: Callers, { endpoint, method, row }: Case): Promise<Request> {
  const required = async (schema: z.core.$ZodType | undefined) => {
    const { properties = {}, required = [] } = schema ? z.toJSONSchema(schema, { io: 'input' }) : {}
    const named = await Promise.all(
      // Where a contract takes one of several names of an organization, its own id will do; where it takes credits or tokens, credits.
      [
        ...required,
        ...('org_id' in properties && !required.includes('org_id') ? ['org_id'] : []),
        ...('tokens' in properties ? ['credits'] : []),
      ].map(async (name) => [
        name,
        (await fields[name]?.(callers)) ?? exampleOf(callers, name, properties[name]),
      ]),
    )
    const payer = row.about === 'an_organization' && 'payer' in properties ? { payer: callers.org.id } : {}
    return { ...Object.fromEntries(named), ...payer }
  }
  return {
    ...(endpoint?.params && { params: await required(endpoint.params) }),
    ...(endpoint?.query && { query: (await required(endpoint.query)) as Record<string, string> }),
    ...(['POST', 'PUT'].includes(method) && { body: await required(endpoint?.body) }),
  }
}

function exampleOf(
  callers: Callers,
  name: string,
  schema: z.core.JSONSchema._JSONSchema | undefined,
): unknown {
  const { people, org } = callers
  if (/^(clerk_?)?(user_?)?id$/i.test(name)) return people.user.user_id
  if (/^(clerk_?)?org_?id$/i.test(name)) return org.id
  if (typeof schema !== 'object') return undefined
  const { format = '', type, items, minItems = 0 } = schema
  if (type === 'array')
    return Array.from({ length: minItems }, () => exampleOf(callers, name, itemsOf(items)))
  return schema.enum?.[0] ?? examples[format]?.() ?? schema.minimum ?? (type === 'boolean' ? false : 'text')
}

function itemsOf(items: z.core.JSONSchema._JSONSchema | z.core.JSONSchema._JSONSchema[] | undefined) {
  return Array.isArray(items) ? items[0] : items
}

/** By the format of a JSON schema. */
const examples: Readonly<Record<string, () => string>> = {
  email: freshEmail,
  uuid: randomUUID,
  uri: () => 'https://tidemark.test/',
  date: () => '2026-01-01',
  'date-time': () => '2026-01-01T00:00:00Z',
}

function idOf({ people }: Callers, actor: Actor): string {
  return actor === 'anonymous' ? 'user_unknown' : people[actor].user_id
}

async function sessionOfUser({ server, people }: Callers): Promise<string> {
  const { sessionId } = await server.ask(createCheckoutSession, {
    token: people.user.token,
    body: { clerkUserId: people.user.user_id, planType: 'pro' },
  })
  return sessionId
}

async function tokenIdOfUser({ server, database, people }: Callers): Promise<string | undefined> {
  await server.ask(generateExtensionToken, { token: people.user.token })
  const [token] = await listTokens(database.owner, { user_id: people.user.user_id, limit: 1 })
  return token?.id
}

async function holdOfUser({ server, people }: Callers): Promise<Request> {
  const { access_token } = await server.ask(generateExtensionToken, { token: people.user.token })
  const body = { credits: 1, idempotency_key: randomUUID() }
  const { hold } = await server.ask(reserveCredits, { token: access_token, body })
  return { params: { id: hold.id } }
}

async function waitingAct({ database }: Callers): Promise<string> {
  const target = { kind: 'user', id: await buildUser(database.owner) } as const
  return (await buildWaitingAct(database, { target })).id
}

/** A token of the kind that the call takes; an anonymous actor sends none. */
async function tokenFor(
  { server, people }: Callers,
  { endpoint }: Case,
  actor: Actor,
): Promise<string | null> {
  if (actor === 'anonymous') return null
  const { token } = people[actor]
  if (endpoint?.auth !== 'extension') return token
  return (await server.ask(generateExtensionToken, { token })).access_token
}

/** Makes what has to be there before the call, so that the call itself may change nothing. */
export async function prepareCall(
  callers: Callers,
  route: Case,
  actor: Actor,
): Promise<(orgId?: string) => Promise<{ status: number; text: string }>> {
  const request = (await requests[nameOf(route)]?.(callers, actor)) ?? (await requestOf(callers, route))
  const token = await tokenFor(callers, route, actor)
  const { server, org } = callers
  return async (orgId = org.id) => {
    const { params, query, body } = JSON.parse(JSON.stringify(request).replaceAll(org.id, orgId)) as Request
    const search = query ? `?${new URLSearchParams(query)}` : ''
    const address = `${server.url}${addressOf(route.endpoint ?? route, params)}${search}`
    const response = await fetch(address, {
      method: route.method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
}
