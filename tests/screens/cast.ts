import { randomBytes, randomUUID } from 'node:crypto'
import { type APIRequestContext, request } from '@playwright/test'
import type { Caller } from '../../scripts/demo/caller.ts'
import { sam } from '../e2e/support/console.ts'
import {
  callerOf,
  newCustomer,
  orderPlan,
  organizationOf,
  subscribe as subscribeTo,
  untilRow,
  untilSettled,
} from '../e2e/support/customers.ts'
import { signIn } from '../e2e/support/people.ts'
import {
  countFailedEvents,
  exceedHold,
  failPostings,
  openSandboxClerk,
  planToUse,
  repairPostings,
  reportUsages,
  turnStripeKnob,
  withDatabase,
} from '../e2e/support/product.ts'
import { buildSignedInEditor } from '../support/factories/extension-tokens.ts'
import { waitUntil } from '../support/wait-until.ts'
import { needAttention } from './attention.ts'

export type Role = 'visitor' | 'newcomer' | 'subscriber' | 'debtor' | 'admin' | 'member' | 'support'
type StorageState = Awaited<ReturnType<APIRequestContext['storageState']>>

/** Pages whose addresses are known only after a first visit. */
interface Addresses {
  readonly creditsPaid: string
  readonly creditsPending: string
  readonly planPaid: string
  readonly teamsPaid: string
  readonly invitation: string
  /** The subscriber, as support sees them. */
  readonly supportCase: string
  /** Credits that are reserved for the subscriber, as support sees them. */
  readonly holdCase: string
  /** Credits that were reserved for them, and used. */
  readonly settledCase: string
  /** The newcomer, whose erasure waits for a second person. */
  readonly erasureCase: string
  /** Acts that were asked for together. */
  readonly batch: string
  /** Who asked for them. */
  readonly colleague: string
  /** A customer with almost every kind of problem. */
  readonly attentionCase: string
  /** Searches: an account with a seat by e-mail, and a paid checkout. */
  readonly searches: { readonly email: string; readonly session: string }
}

export interface Cast extends Addresses {
  readonly sessions: Readonly<Record<Role, StorageState>>
}

/** Brings the people of all screens into their states, by the pages' calls and the sandboxes' knobs. */
export async function gatherCast(baseURL: string): Promise<Cast> {
  const play = <T extends object>(part: Part<T>) => inOwnSession(baseURL, part)
  const [newcomer, subscriber, debtor, team, support, attention] = await Promise.all([
    play(beNewcomer),
    play(subscribe),
    play(oweMoney),
    play(leadTeam),
    play(beSupport),
    play(payInVain),
  ])
  const people = { customer: subscriber.userId, gone: newcomer.userId, late: debtor.userId }
  const [member, colleague] = await Promise.all([
    play((context) => joinTeam(context, team.organizationId)),
    play((context) => askForActs(context, people)),
  ])
  await play(compareEverything)
  return {
    ...subscriber,
    ...team,
    erasureCase: `/support/trace?owner=${newcomer.userId}`,
    batch: colleague.batch,
    colleague: colleague.userId,
    attentionCase: `/support/trace?owner=${attention.userId}`,
    searches: { email: team.email, session: subscriber.paidSession },
    sessions: {
      visitor: { cookies: [], origins: [] },
      newcomer: newcomer.session,
      subscriber: subscriber.session,
      debtor: debtor.session,
      admin: team.session,
      member: member.session,
      support: support.session,
    },
  }
}

/** Lets days pass and the statement be computed. It affects all users: for pictures, not for tests. */
export async function letDaysPass(baseURL: string, days: number): Promise<void> {
  const response = await fetch(`${process.env.E2E_STRIPE_URL}/_sandbox/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ days }),
  })
  if (!response.ok) throw new Error(`Advancing the clock: ${response.status} ${await response.text()}`)
  await inOwnSession(baseURL, compareEverything)
}

/** For a busy machine. */
const patience_ms = 120_000

type Context = { readonly request: APIRequestContext; readonly baseURL: string }
type Part<T> = (context: Context) => Promise<T>

async function inOwnSession<T extends object>(
  baseURL: string,
  play: Part<T>,
): Promise<T & { session: StorageState }> {
  const own = await request.newContext({ baseURL })
  try {
    const result = await play({ request: own, baseURL })
    return { ...result, session: await own.storageState() }
  } finally {
    await own.dispose()
  }
}

function beNewcomer({ request, baseURL }: Context) {
  return newCustomer(request, baseURL)
}

async function subscribe(context: Context) {
  const customer = await beNewcomer(context)
  const { userId } = customer
  const planSession = await orderPlan(customer, 'pro')
  await customer.pay(planSession)
  await untilSettled(planSession)
  const paidSession = await customer.buy(1500)
  const pendingSession = await customer.order(500)
  await customer.pay(pendingSession, { method: 'delayed' })
  await spendCredits(customer, 'personal')
  const [desktop = null, code = null] = await signInEditors(userId)
  await reportUsages(userId, [
    { credits: 142, model: 'large-2026-10', project: 'harbour-web', token_id: desktop },
    { credits: 31, model: 'small-2026-08', project: 'harbour-web', token_id: desktop },
    {
      credits: 57,
      model: 'large-2026-10',
      project: 'billing-service-for-the-whole-harbour-and-its-quays',
      token_id: code,
    },
    { credits: 1, model: 'small-2026-08', project: 'notes', token_id: code },
    { credits: 0, model: 'large-2026-10', project: 'notes', token_id: code, failure: 'provider_error' },
  ])
  const settled = await exceedHold(userId)
  const hold = await planToUse(userId, { lasting_s: 100 * 86_400 })
  return {
    paidSession,
    planPaid: `/payment/success?session_id=${planSession}`,
    creditsPaid: `/billing/success?session_id=${paidSession}`,
    creditsPending: `/billing/success?session_id=${pendingSession}`,
    supportCase: `/support/trace?owner=${userId}`,
    holdCase: `/support/trace?owner=${userId}&kind=hold&id=${hold}`,
    settledCase: `/support/trace?owner=${userId}&kind=hold&id=${settled}&show=Credits`,
    userId,
  }
}

/** Signs in a member of the support staff from the sandbox's seeds. */
async function beSupport({ request, baseURL }: Context): Promise<Caller> {
  await signIn(request, sam)
  return callerOf(request, baseURL)
}

/** A payment that fails to post, among other problems. */
async function payInVain(context: Context) {
  const customer = await beNewcomer(context)
  const { userId } = customer
  await failPostings(userId, 'division by zero')
  await customer.pay(await customer.order(500))
  await waitUntil(async () => (await countFailedEvents(userId)) > 0, 'the payment to fail', patience_ms)
  await repairPostings(userId)
  await needAttention(userId)
  return { userId }
}

/** Runs a comparison, so that the problems are among the findings. */
async function compareEverything(context: Context) {
  const { call } = await beSupport(context)
  const { run } = await call<{ run: { id: string } }>('/api/support/reconciliation/runs', {})
  await untilRow((db) =>
    db
      .selectFrom('reconciliation_runs')
      .select('id')
      .where('id', '=', run.id)
      .where('ended_at', 'is not', null)
      .executeTakeFirst(),
  )
  return {}
}

/** A second person of support asks for what takes two, and for two acts together. */
async function askForActs(context: Context, people: { customer: string; gone: string; late: string }) {
  const { userId, call } = await beNewcomer(context)
  await openSandboxClerk().users.updateUserMetadata(userId, { publicMetadata: { role: 'support' } })
  const ask = async (kind: string, users: readonly string[], more: { reason: string; params?: object }) => {
    const id = randomUUID()
    const targets = users.map((user) => ({ kind: 'user', id: user }))
    await call('/api/support/acts', { id, kind, targets, ...more })
    return id
  }
  await ask('adjust', [people.customer], {
    reason: 'Promised on the phone after the outage of Friday',
    params: { adjustment: { credits: 6000, customer_note: 'For the outage of Friday' } },
  })
  const reason = 'After the outage of Friday'
  const batch = await ask('resync', [people.customer, people.gone, people.late], { reason })
  await untilRow((db) =>
    db
      .selectFrom('support_acts')
      .select((eb) => eb.fn.countAll().as('done'))
      .where('batch_id', '=', batch)
      .where('finished_at', 'is not', null)
      .having((eb) => eb.fn.countAll(), '=', 3)
      .executeTakeFirst(),
  )
  await ask('forget', [people.gone], { reason: 'Asked for erasure, ticket 4711' })
  return { batch, userId }
}

/** The trial is over and the card pays no more. */
async function oweMoney(context: Context) {
  const customer = await beNewcomer(context)
  const subscription = await subscribeTo(customer, 'pro')
  await turnStripeKnob(`subscriptions/${subscription}/renew`, { payment: 'fails' })
  await untilRow((db) =>
    db
      .selectFrom('subscriptions')
      .select('owner_id')
      .where('stripe_subscription_id', '=', subscription)
      .where('unpaid_declined_at', 'is not', null)
      .executeTakeFirst(),
  )
  return { userId: customer.userId }
}

async function leadTeam(context: Context) {
  const admin = await beNewcomer(context)
  const { email, userId } = admin
  const session = await orderPlan(admin, 'teams', 5)
  await admin.pay(session)
  await untilSettled(session)
  const organizationId = await organizationOf(admin)
  await admin.chooseOrganization(organizationId)
  const guest = `guest.${randomBytes(4).toString('hex')}@tidemark.test`
  await admin.call('/api/team-invitations', { org_id: organizationId, email: guest })
  await spendCredits(admin, organizationId)
  await reportUsages(userId, [
    {
      owner_id: organizationId,
      credits: 40,
      model: 'large-2026-10',
      project: 'quay',
    },
  ])
  const teamsPaid = `/payment/success?session_id=${session}`
  return { email, organizationId, teamsPaid, invitation: `/invite/${organizationId}/orginv_1` }
}

/** The ids of their tokens. */
function signInEditors(user_id: string): Promise<string[]> {
  const editors = [
    { scheme: 'http', editor_name: 'Sample editor on desktop' },
    { scheme: 'vscode', editor_name: null },
    { scheme: 'cursor', editor_name: 'Cursor on a laptop with a name that is as long as a name can be' },
    { scheme: 'windsurf', editor_name: 'Windsurf on laptop' },
  ]
  return withDatabase(async (db) => {
    const ids: string[] = []
    for (const editor of editors) ids.push((await buildSignedInEditor(db, { user_id, ...editor }))?.id ?? '')
    return ids
  })
}

async function spendCredits(person: Caller, payer: string): Promise<void> {
  await person.spend(24, { payer, description: 'Chat in billing.ts' })
  await person.spend(61, { payer, description: 'Refactoring of the checkout' })
  await person.spend(3, { payer, description: 'Completion' })
}

async function joinTeam(context: Context, organizationId: string) {
  const { userId, chooseOrganization } = await beNewcomer(context)
  await openSandboxClerk().organizations.createOrganizationMembership({
    organizationId,
    userId,
    role: 'org:member',
  })
  await reportUsages(userId, [
    {
      owner_id: organizationId,
      credits: 25,
      model: 'small-2026-08',
      project: 'quay',
    },
    {
      owner_id: organizationId,
      credits: 0,
      model: 'small-2026-08',
      failure: 'timeout',
    },
  ])
  await chooseOrganization(organizationId)
  return {}
}
