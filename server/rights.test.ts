import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { payOverdue } from '../schema/api/account.ts'
import { addressOf } from '../schema/api/endpoint.ts'
import { generateExtensionToken } from '../schema/api/extension.ts'
import { reserveCredits } from '../schema/api/holds.ts'
import { assignSeat } from '../schema/api/organization-seats.ts'
import { createOrganizationSubscription } from '../schema/api/organizations.ts'
import { createCheckoutSession, createCustomerPortalSession } from '../schema/api/subscriptions.ts'
import { sendTeamInvitation } from '../schema/api/team-invitations.ts'
import { findStripeCustomer } from '../schema/customers/customers.ts'
import { listTokens } from '../schema/extension/tokens.ts'
import { findLiveSubscription } from '../schema/subscriptions/subscriptions.ts'
import { buildWaitingAct } from '../tests/support/factories/acts.ts'
import {
  addMember,
  buildOrganization,
  type TestOrganization,
} from '../tests/support/factories/organizations.ts'
import { buildSubscription } from '../tests/support/factories/subscriptions.ts'
import { giveCredits } from '../tests/support/factories/transfers.ts'
import { buildUser } from '../tests/support/factories/users.ts'
import { madeOnce } from '../tests/support/made.ts'
import {
  newSignIn,
  prepare,
  signedRequestOf,
  signInBoundTo,
} from '../tests/support/product/editor-sign-in.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../tests/support/services/clerk.ts'
import { type Actor, actors, type RightsRow } from './rights.ts'
import type { Route } from './route.ts'
import { routes } from './routes.ts'

const { database, stripe, clerk, server } = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const people = madeOnce(
  async (): Promise<Record<Exclude<Actor, 'anonymous'>, Person>> => ({
    user: await signUp(clerk),
    other_user: await signUp(clerk),
    member: await signUp(clerk),
    admin: await signUp(clerk),
    other_admin: await signUp(clerk),
    support: await signUp(clerk, { role: 'support' }),
  }),
)
/** Has a subscription with seats. */
const org = madeOnce(() => buildOrganization(clerk, people.admin))
/** Has the same people and no subscription. */
const unsubscribed = madeOnce(() => buildOrganization(clerk, people.admin))
beforeAll(async () => {
  for (const person of Object.values(people)) {
    await buildUser(database.owner, person.user_id)
    await giveCredits(database, { owner_kind: 'user', owner_id: person.user_id }, { purchased: 1000 })
  }
  for (const organization of [org, unsubscribed]) await addMember(clerk, organization, people.member)
  await buildOrganization(clerk, people.other_admin)
  await giveCredits(database, { owner_kind: 'organization', owner_id: org.id }, { purchased: 1000 })
  await subscribe(org, 50)
  // As the worker does when the seats are there: an organization at Clerk has five places at first.
  await clerk.client.organizations.updateOrganization(org.id, { maxAllowedMemberships: 50 })
  for (const person of [people.admin, people.member]) await giveSeat(person)
})

/** Seats that were bought and paid at Stripe, and are in our rows as the worker writes them. */
async function subscribe(organization: TestOrganization, seats: number): Promise<void> {
  const { sessionId } = await server.ask(createOrganizationSubscription, {
    token: people.admin.token,
    body: { clerk_org_id: organization.id, seats_total: seats },
  })
  await stripe.knob(`sessions/${sessionId}/pay`)
  const session = await server.deps.stripe.checkout.sessions.retrieve(sessionId)
  await database.owner.deleteFrom('checkout_intents').execute()
  await buildSubscription(database, {
    owner: { owner_kind: 'organization', owner_id: organization.id },
    user_id: people.admin.user_id,
    seats,
    fields: { stripe_subscription_id: String(session.subscription) },
  })
}

async function giveSeat(person: Person): Promise<void> {
  const profile = await server.deps.clerk.getProfile(person.user_id)
  await server.ask(assignSeat, {
    token: people.admin.token,
    body: { org_id: org.id, email: profile?.email, role: 'member' },
  })
}

const freshEmail = () => `${randomUUID()}@tidemark.test`

/** Pro, as it is at Stripe and in our rows. A caller's second change finds the plan that is there. */
async function givePlan(actor: Actor): Promise<void> {
  if (actor === 'anonymous') return
  const { user_id, token } = people[actor]
  const owner = { owner_kind: 'user', owner_id: user_id } as const
  if (await findLiveSubscription(database.owner, owner)) return setStatus(user_id, 'active')
  // It makes the customer.
  await server.ask(createCustomerPortalSession, { token, body: { userId: user_id } })
  const customer = (await findStripeCustomer(database.owner, owner)) ?? ''
  const card = await stripe.client.paymentMethods.attach('pm_card_visa', { customer })
  const { data } = await stripe.client.prices.list({ lookup_keys: ['pro_monthly'] })
  const { id } = await stripe.client.subscriptions.create({
    customer,
    items: [{ price: data[0]?.id ?? '' }],
    default_payment_method: card.id,
  })
  // An owner has one checkout of a plan at a time, and `sessionOfUser` has opened one.
  await database.owner.deleteFrom('checkout_intents').where('owner_id', '=', user_id).execute()
  await buildSubscription(database, { owner, user_id, fields: { stripe_subscription_id: id } })
}

const toYearly = async (actor: Actor): Promise<Request> => {
  await givePlan(actor)
  return { query: { payer: 'personal' }, body: { billing_frequency: 'yearly' } }
}
const ofPlan = async (actor: Actor): Promise<Request> => {
  await givePlan(actor)
  return { query: { payer: 'personal' }, body: {} }
}

/** Overdue is a renewal that is paid at Stripe, and not yet in our row. */
async function setStatus(owner_id: string, status: 'active' | 'past_due'): Promise<void> {
  await database.owner.updateTable('subscriptions').set({ status }).where('owner_id', '=', owner_id).execute()
}

interface Request {
  readonly params?: object
  readonly body?: object
  readonly query?: Record<string, string>
  readonly headers?: Record<string, string>
}

/**
 * What calls are asked about something that has to be made first, so that a caller who may do it succeeds. A
 * call whose contract says enough is not listed: see `requestOf`.
 */
const requests: Readonly<Record<string, (actor: Actor) => Request | Promise<Request>>> = {
  'POST /api/user/initialize': () => ({
    body: {
      clerkUser: { id: people.user.user_id, emailAddresses: [], firstName: null, lastName: null },
      planType: 'starter',
    },
  }),
  'POST /api/billing/credit-purchase': () => ({
    body: { clerkUserId: people.user.user_id, credits: 500, amount: 7, currency: 'EUR' },
  }),
  'POST /api/organizations/create-subscription': () => ({ body: { clerk_org_id: unsubscribed.id } }),
  'POST /api/organizations/buy-seats': (actor) => ({
    // In one's own name: that of another is refused before anything else.
    body: { orgId: org.id, clerkUserId: idOf(actor), quantity: 1 },
  }),
  'GET /api/plan-change': async (actor) => ({ query: (await ofPlan(actor)).query ?? {} }),
  'POST /api/plan-change': toYearly,
  'POST /api/plan-change an_organization': () => ({
    query: { payer: org.id },
    body: { billing_frequency: 'yearly' },
  }),
  'POST /api/account/pay-overdue': async (actor) => {
    const request = await ofPlan(actor)
    await setStatus(idOf(actor), 'past_due')
    return request
  },
  'POST /api/account/pay-overdue an_organization': async () => {
    await setStatus(org.id, 'past_due')
    return { query: { payer: org.id }, body: {} }
  },
  'POST /api/plan-change/keep': ofPlan,
  'POST /api/plan-change/cancel': ofPlan,
  'POST /api/organizations/seats/revoke': async (actor) => {
    const person = await signUp(clerk)
    await addMember(clerk, org, person)
    if (actor === 'admin') await giveSeat(person)
    return { body: { org_id: org.id, user_id: person.user_id } }
  },
  'POST /api/team-invitations/revoke': async () => {
    const { invitation } = await server.ask(sendTeamInvitation, {
      token: people.admin.token,
      body: { org_id: org.id, email: freshEmail() },
    })
    return { body: { id: invitation.id } }
  },

  'POST /api/extension-token/revoke-editor': async () => ({ body: { id: await tokenIdOfUser() } }),
  'POST /api/extension-token/payer': async () => ({ body: { id: await tokenIdOfUser(), payer: 'personal' } }),
  'GET /api/extension/holds/{id}': holdOfUser,
  'POST /api/extension/holds/{id}/extend': async () => ({ ...(await holdOfUser()), body: { expires_in: 1 } }),
  'POST /api/extension/holds/{id}/settle': async () => ({ ...(await holdOfUser()), body: { credits: 1 } }),
  'POST /api/extension/holds/{id}/release': holdOfUser,
  'POST /api/auth/initiate-vscode-auth': () => {
    const { state, code_challenge, redirect_uri } = newSignIn()
    return { body: { state, code_challenge, redirect_uri } }
  },
  'POST /api/auth/update-auth-code': async () => {
    const signIn = newSignIn()
    const request = await signedRequestOf(server, signIn)
    return { body: { state: signIn.state, request, clerk_user_id: people.user.user_id } }
  },
  'POST /api/auth/prepare-vscode-auth': () => {
    const { state, redirect_uri } = newSignIn()
    return { body: { state, redirect_uri, clerk_user_id: people.user.user_id } }
  },
  'POST /api/auth/complete-vscode-auth': async () => {
    const signIn = newSignIn()
    const { confirmation } = (await prepare(server, signIn, people.user)).body as { confirmation: string }
    const { state, redirect_uri } = signIn
    return { body: { state, redirect_uri, confirmation, clerk_user_id: people.user.user_id } }
  },
  'POST /api/auth/token': async () => {
    const { code, state, redirect_uri, code_verifier } = await signInBoundTo(server, await signUp(clerk))
    return { body: { grant_type: 'authorization_code', code, state, redirect_uri, code_verifier } }
  },
  'GET /api/support/trace': () => ({ query: { owner: people.user.user_id } }),
  'GET /api/support/customer/balance': () => ({ query: { owner: people.user.user_id } }),
  'GET /api/support/customer/usage': () => ({ query: { owner: people.user.user_id } }),
  'GET /api/support/customer/invoices': () => ({ query: { owner: people.user.user_id } }),
  'POST /api/support/acts': () => ({
    body: {
      id: randomUUID(),
      kind: 'resync',
      targets: [{ kind: 'user', id: people.user.user_id }],
      is_dry_run: true,
    },
  }),
  'POST /api/support/acts/approve': async () => ({ body: { id: await waitingAct() } }),
  'POST /api/support/acts/refuse': async () => ({
    body: { id: await waitingAct(), reason: 'It is too much' },
  }),
  'POST /api/support/acts/cancel': () => ({ body: { batch_id: randomUUID() } }),
}

/** Fields whose name says what they hold. */
const fields: Readonly<Record<string, () => unknown>> = {
  session_id: sessionOfUser,
  sessionId: sessionOfUser,
  transfer_id: () => '1',
  idempotency_key: () => randomUUID(),
  owner: () => people.user.user_id,
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
async function requestOf({ endpoint, method, row }: Case): Promise<Request> {
  const required = async (schema: z.core.$ZodType | undefined) => {
    const { properties = {}, required = [] } = schema ? z.toJSONSchema(schema, { io: 'input' }) : {}
    const named = await Promise.all(
      // Where a contract takes one of several names of an organization, its own id will do.
      [...required, ...('org_id' in properties && !required.includes('org_id') ? ['org_id'] : [])].map(
        async (name) => [name, (await fields[name]?.()) ?? exampleOf(name, properties[name])],
      ),
    )
    const payer = row.about === 'an_organization' && 'payer' in properties ? { payer: org.id } : {}
    return { ...Object.fromEntries(named), ...payer }
  }
  return {
    ...(endpoint?.params && { params: await required(endpoint.params) }),
    ...(endpoint?.query && { query: (await required(endpoint.query)) as Record<string, string> }),
    ...(['POST', 'PUT'].includes(method) && { body: await required(endpoint?.body) }),
  }
}

function exampleOf(name: string, schema: z.core.JSONSchema._JSONSchema | undefined): unknown {
  if (/^(clerk_?)?(user_?)?id$/i.test(name)) return people.user.user_id
  if (/^(clerk_?)?org_?id$/i.test(name)) return org.id
  if (typeof schema !== 'object') return undefined
  const { format = '', type, items, minItems = 0 } = schema
  if (type === 'array') return Array.from({ length: minItems }, () => exampleOf(name, itemsOf(items)))
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

function idOf(actor: Actor): string {
  return actor === 'anonymous' ? 'user_unknown' : people[actor].user_id
}

async function sessionOfUser(): Promise<string> {
  const { sessionId } = await server.ask(createCheckoutSession, {
    token: people.user.token,
    body: { clerkUserId: people.user.user_id, planType: 'pro' },
  })
  return sessionId
}

async function tokenIdOfUser(): Promise<string | undefined> {
  await server.ask(generateExtensionToken, { token: people.user.token })
  const [token] = await listTokens(database.owner, { user_id: people.user.user_id, limit: 1 })
  return token?.id
}

async function holdOfUser(): Promise<Request> {
  const { access_token } = await server.ask(generateExtensionToken, { token: people.user.token })
  const body = { credits: 1, idempotency_key: randomUUID() }
  const { hold } = await server.ask(reserveCredits, { token: access_token, body })
  return { params: { id: hold.id } }
}

async function waitingAct(): Promise<string> {
  const target = { kind: 'user', id: await buildUser(database.owner) } as const
  return (await buildWaitingAct(database, { target })).id
}

type Case = Route & { readonly row: RightsRow }

const nameOf = ({ method, path, row: { about } }: Case) =>
  `${method} ${path}${about === 'an_organization' ? ` ${about}` : ''}`

/** A token of the kind that the call takes; an anonymous actor sends none. */
async function tokenFor({ endpoint }: Case, actor: Actor): Promise<string | null> {
  if (actor === 'anonymous') return null
  const { token } = people[actor]
  if (endpoint?.auth !== 'extension') return token
  return (await server.ask(generateExtensionToken, { token })).access_token
}

/** Everything that has to be there before the call is made here, so that the call itself may change nothing. */
async function prepareCall(
  route: Case,
  actor: Actor,
): Promise<(orgId?: string) => Promise<{ status: number; text: string }>> {
  const request = (await requests[nameOf(route)]?.(actor)) ?? (await requestOf(route))
  const token = await tokenFor(route, actor)
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

/** What a member is told that only administrators can do. */
const adminsOnly: Readonly<Record<string, string>> = {
  'POST /api/account/currency': 'manage billing',
  'GET /api/account/next-payment': 'see payments',
  'POST /api/account/pay-overdue': 'manage billing',
  'GET /api/account/offered-card': 'see payments',
  'GET /api/credits/explanation': 'view the credit history',
  'GET /api/credits/explanation/export': 'export the credit history',
  'GET /api/billing/invoices': 'view billing settings',
  'POST /api/organizations/create-subscription': 'manage billing',
  'POST /api/organizations/create-billing-portal': 'manage billing',
  'POST /api/organizations/credits/topup': 'top up credits',
  'POST /api/organizations/buy-seats': 'buy seats',
  'GET /api/plan-change': 'manage billing',
  'POST /api/plan-change': 'manage billing',
  'POST /api/plan-change/keep': 'manage billing',
  'POST /api/plan-change/cancel': 'manage billing',
  'POST /api/organizations/seats/assign': 'assign seats',
  'POST /api/organizations/seats/revoke': 'revoke seats',
  'GET /api/team-invitations': 'see invitations',
  'POST /api/team-invitations': 'invite members',
  'POST /api/team-invitations/revoke': 'revoke invitations',
}

function refusalOf({ method, path, row, endpoint }: Case, actor: Actor): object {
  const status = row.answers[actor]
  if (status === 401 && endpoint?.auth === 'user') return { code: 'unauthenticated' }
  if (status === 404 && (row.about !== undefined || path.startsWith('/api/organizations/'))) {
    return { code: path.startsWith('/api/extension') ? 'payer_not_found' : 'organization_not_found' }
  }
  if (status !== 403) return { code: expect.any(String) }
  const doing = adminsOnly[`${method} ${path}`]
  if (actor !== 'member' || doing === undefined) return { code: 'forbidden' }
  return { code: 'not_admin', error: `Only organization administrators can ${doing}.` }
}

/** Without the id of the request: an organization of others answers like one that does not exist. */
const bare = (text: string) => ({
  ...(JSON.parse(text.replaceAll(org.id, 'org_unknown')) as object),
  request_id: '',
})

/**
 * A hash of each table's rows, except when a token was last used and the audit log, which has refused calls
 * of support.
 */
async function everything(): Promise<unknown> {
  return (await all.query.execute(database.owner)).rows
}

const all = madeOnce(async () => {
  const { rows } = await sql<{ name: string }>`
    SELECT c.oid::regclass::text AS name FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'audit_log'`.execute(
    database.owner,
  )
  const tables = rows.map(({ name }) => {
    const row = sql`(to_jsonb(t) - 'last_used_at')::text`
    const hash = sql`md5(string_agg(${row}, ',' ORDER BY ${row} COLLATE "C"))`
    return sql`SELECT ${sql.lit(name)} AS name, ${hash} AS hash FROM ${sql.table(name)} t`
  })
  return { query: sql`${sql.join(tables, sql` UNION ALL `)}` }
})

describe('the rights of every route', () => {
  // A caller with a plan may order no second one, and one whose plan is overdue may change nothing.
  const needsPlan = ({ path }: Route) => Number(path === payOverdue.path)
  const cases = routes
    .toSorted((a, b) => needsPlan(a) - needsPlan(b))
    .flatMap((route) => route.rights.map((row) => ({ ...route, row })))

  test.each(cases.map((route) => [nameOf(route), route] as const))(
    'the call %s answers each actor by its rights, and a refused call changes nothing',
    async (_, route) => {
      const { answers } = route.row
      const refused = []
      for (const actor of actors.filter((actor) => answers[actor] >= 400)) {
        refused.push({ actor, call: await prepareCall(route, actor) })
      }
      const before = await everything()
      for (const { actor, call } of refused) {
        const { status, text } = await call()
        expect(status, `${actor}: ${text}`).toBe(answers[actor])
        expect(JSON.parse(text), actor).toMatchObject(refusalOf(route, actor))
        if (status === 404) expect(bare(text)).toEqual(bare((await call('org_unknown')).text))
      }
      if (refused.length > 0) expect(await everything()).toEqual(before)
      for (const actor of actors.filter((actor) => answers[actor] < 400)) {
        const call = await prepareCall(route, actor)
        const { status, text } = await call()
        expect(status, `${actor}: ${text}`).toBe(answers[actor])
      }
    },
  )

  test('the rights are checked for every call of the contract, and for routes that are not in it', async () => {
    const headers = { authorization: `Bearer ${people.support.token}` }
    const answer = await fetch(`${server.url}/api/support/openapi.json`, { headers })
    const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> }
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const documents = ['GET /api/openapi.json', 'GET /api/support/openapi.json']
    const beside = [...documents, 'GET /healthz', 'GET /readyz']
    const walked = new Set(cases.map(({ method, path }) => `${method} ${path}`))
    expect([...walked].toSorted()).toEqual([...new Set([...documented, ...beside])].toSorted())
  })
})
