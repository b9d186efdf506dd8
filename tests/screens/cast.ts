import { randomBytes, randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { cards, payByCard, startPurchase } from '../e2e/support/checkout-page.ts'
import { arrive, signIn } from '../e2e/support/people.ts'
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
import { archivedTransferId, archiveEarlierMonths, needAttention } from './attention.ts'

export type Role = 'visitor' | 'newcomer' | 'subscriber' | 'debtor' | 'admin' | 'member' | 'support'
type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

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
  /** Searches: an account with a seat by e-mail, a paid checkout, and an archived transfer. */
  readonly searches: { readonly email: string; readonly session: string; readonly archived: string }
}

export interface Cast extends Addresses {
  readonly sessions: Readonly<Record<Role, StorageState>>
}

type Setting = { readonly browser: Browser; readonly baseURL: string }

/** Brings the people of all screens into their states, by the product's forms and the sandboxes' knobs. */
export async function gatherCast(setting: Setting): Promise<Cast> {
  const [newcomer, subscriber, debtor, team, support, attention] = await Promise.all([
    inOwnBrowser(setting, (page) => beNewcomer(page)),
    inOwnBrowser(setting, (page) => subscribe(page)),
    inOwnBrowser(setting, (page) => oweMoney(page)),
    inOwnBrowser(setting, (page) => leadTeam(page)),
    inOwnBrowser(setting, (page) => beSupport(page)),
    inOwnBrowser(setting, (page) => payInVain(page)),
    archiveEarlierMonths(),
  ])
  const [member, colleague] = await Promise.all([
    inOwnBrowser(setting, (page) => joinTeam(page, team.organizationId)),
    inOwnBrowser(setting, (page) =>
      askForActs(page, { customer: subscriber.userId, gone: newcomer.userId, late: debtor.userId }),
    ),
  ])
  await inOwnBrowser(setting, (page) => compareEverything(page))
  const session = new URL(subscriber.creditsPaid, setting.baseURL).searchParams.get('session_id') ?? ''
  return {
    ...subscriber,
    ...team,
    erasureCase: `/support/trace?owner=${newcomer.userId}`,
    batch: colleague.batch,
    colleague: colleague.userId,
    attentionCase: `/support/trace?owner=${attention.userId}`,
    searches: { email: team.email, session, archived: archivedTransferId },
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
export async function letDaysPass(setting: Setting, days: number): Promise<void> {
  const response = await fetch(`${process.env.E2E_STRIPE_URL}/_sandbox/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ days }),
  })
  if (!response.ok) throw new Error(`Advancing the clock: ${response.status} ${await response.text()}`)
  await inOwnBrowser(setting, (page) => compareEverything(page))
}

async function inOwnBrowser<T extends object>(
  { browser, baseURL }: Setting,
  play: (page: Page) => Promise<T>,
): Promise<T & { session: StorageState }> {
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce' })
  try {
    const result = await play(await context.newPage())
    return { ...result, session: await context.storageState() }
  } finally {
    await context.close()
  }
}

async function beNewcomer(page: Page) {
  const { email } = await arrive(page.request)
  await page.goto('/dashboard')
  await page.getByRole('region', { name: 'Available Credits' }).waitFor()
  const { userId } = await sessionOf(page)
  return { email, userId }
}

async function subscribe(page: Page) {
  await beNewcomer(page)
  const planPaid = await order(page, '/auth/post-signup?plan=pro&billing=monthly&currency=EUR')
  await page.goto('/dashboard')
  await startPurchase(page, 1500)
  await payByCard(page, cards.pays)
  const creditsPaid = await paidAddress(page)
  await page.goto('/dashboard')
  await startPurchase(page, 500)
  await page.getByLabel(/Bank debit/).check()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.getByRole('heading', { name: 'Payment pending' }).waitFor()
  const creditsPending = addressOf(page)
  await spendCredits(page, 'personal')
  const { userId } = await sessionOf(page)
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
    planPaid,
    creditsPaid,
    creditsPending,
    supportCase: `/support/trace?owner=${userId}`,
    holdCase: `/support/trace?owner=${userId}&kind=hold&id=${hold}`,
    settledCase: `/support/trace?owner=${userId}&kind=hold&id=${settled}&show=Credits`,
    userId,
  }
}

/** Signs in a member of the support staff from the sandbox's seeds. */
async function beSupport(page: Page) {
  await signIn(page.request, { email: 'support@tidemark.test', password: 'tidemark-support-1' })
  return {}
}

/** A payment that fails to post, among other problems. */
async function payInVain(page: Page) {
  await beNewcomer(page)
  const { userId } = await sessionOf(page)
  await failPostings(userId, 'division by zero')
  await startPurchase(page, 500)
  await payByCard(page, cards.pays)
  await page.waitForURL('**/billing/success**')
  await page.goto('about:blank')
  await waitUntil(async () => (await countFailedEvents(userId)) > 0, 'the payment to fail')
  await repairPostings(userId)
  await needAttention(userId)
  return { userId }
}

/** Runs a comparison, so that the problems are among the findings. */
async function compareEverything(page: Page) {
  await beSupport(page)
  await page.goto('/support/reconciliation')
  await page.getByRole('button', { name: 'Compare now' }).click()
  await page.getByText('with no support act recorded').first().waitFor({ timeout: 90_000 })
  await page.getByRole('button', { name: 'Compare now', disabled: false }).waitFor({ timeout: 90_000 })
  return {}
}

/** A second person of support asks for what takes two, and for two acts together. */
async function askForActs(page: Page, people: { customer: string; gone: string; late: string }) {
  await arrive(page.request)
  const { userId } = await sessionOf(page)
  await openSandboxClerk().users.updateUserMetadata(userId, { publicMetadata: { role: 'support' } })
  await page.goto('/support')
  await page.getByRole('heading', { name: 'Queues' }).waitFor()
  const ask = async (
    kind: string,
    users: readonly string[],
    more: { reason: string; adjustment?: object },
  ) => {
    const id = randomUUID()
    const asked = await page.request.post('/api/support/acts', {
      headers: { authorization: `Bearer ${await tokenOf(page)}` },
      data: { id, kind, targets: users.map((user) => ({ kind: 'user', id: user })), ...more },
    })
    if (!asked.ok()) throw new Error(`Asking to ${kind}: ${asked.status()} ${await asked.text()}`)
    return id
  }
  await ask('adjust', [people.customer], {
    reason: 'Promised on the phone after the outage of Friday',
    adjustment: { credits: 6000, customer_note: 'For the outage of Friday' },
  })
  const reason = 'After the outage of Friday'
  const batch = await ask('resync', [people.customer, people.gone, people.late], { reason })
  const isOver = async () => {
    const asked = await page.request.get(`/api/support/acts?batch_id=${batch}`, {
      headers: { authorization: `Bearer ${await tokenOf(page)}` },
    })
    return ((await asked.json()) as { data: { counts: { queued: number } } }).data.counts.queued === 0
  }
  await waitUntil(isOver, 'the acts to be done')
  await ask('forget', [people.gone], { reason: 'Asked for erasure, ticket 4711' })
  return { batch, userId }
}

/** The trial is over and the card pays no more. */
async function oweMoney(page: Page) {
  const { userId } = await beNewcomer(page)
  const paid = await order(page, '/auth/post-signup?plan=pro&billing=monthly&currency=EUR')
  const sessionId = new URL(paid, 'http://localhost').searchParams.get('session_id')
  const response = await fetch(`${process.env.E2E_STRIPE_URL}/v1/checkout/sessions/${sessionId}`, {
    headers: { authorization: 'Bearer sk_test_sandbox' },
  })
  const { subscription } = (await response.json()) as { subscription: string }
  await turnStripeKnob(`subscriptions/${subscription}/renew`, { payment: 'fails' })
  for (let tries = 0; tries < 40; tries += 1) {
    await page.goto('/dashboard')
    await page.getByRole('region', { name: 'Available Credits' }).waitFor()
    if (await page.getByRole('region', { name: 'Notices' }).isVisible()) return { userId }
  }
  throw new Error('The dashboard does not say that a payment has failed.')
}

async function leadTeam(page: Page) {
  const { email } = await beNewcomer(page)
  const teamsPaid = await order(page, '/auth/post-signup?plan=teams&billing=monthly&currency=EUR&seats=5')
  const clerk = openSandboxClerk()
  const { userId } = await sessionOf(page)
  const [membership] = (await clerk.users.getOrganizationMembershipList({ userId })).data
  if (!membership) throw new Error('The plan for a team brought no organization.')
  const organizationId = membership.organization.id
  await choose(page, organizationId)
  const guest = `guest.${randomBytes(4).toString('hex')}@tidemark.test`
  const invited = await page.request.post('/api/team-invitations', {
    headers: { authorization: `Bearer ${await tokenOf(page)}` },
    data: { org_id: organizationId, email: guest },
  })
  if (!invited.ok()) throw new Error(`Inviting a member: ${invited.status()} ${await invited.text()}`)
  await spendCredits(page, organizationId)
  await reportUsages(userId, [
    {
      owner_kind: 'organization',
      owner_id: organizationId,
      credits: 40,
      model: 'large-2026-10',
      project: 'quay',
    },
  ])
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

/** As an editor reports it. */
async function spendCredits(page: Page, payer: string) {
  const generated = await page.request.post('/api/extension-token/generate', {
    headers: { authorization: `Bearer ${await tokenOf(page)}` },
  })
  const { access_token } = (await generated.json()) as { access_token: string }
  for (const [credits, description] of [
    [24, 'Chat in billing.ts'],
    [61, 'Refactoring of the checkout'],
    [3, 'Completion'],
  ]) {
    const reported = await page.request.post('/api/extension/usage', {
      headers: { authorization: `Bearer ${access_token}` },
      data: { credits, payer, idempotency_key: randomUUID(), description },
    })
    if (!reported.ok()) throw new Error(`Using credits: ${reported.status()} ${await reported.text()}`)
  }
}

async function joinTeam(page: Page, organizationId: string) {
  await beNewcomer(page)
  const { userId } = await sessionOf(page)
  await openSandboxClerk().organizations.createOrganizationMembership({
    organizationId,
    userId,
    role: 'org:member',
  })
  await reportUsages(userId, [
    {
      owner_kind: 'organization',
      owner_id: organizationId,
      credits: 25,
      model: 'small-2026-08',
      project: 'quay',
    },
    {
      owner_kind: 'organization',
      owner_id: organizationId,
      credits: 0,
      model: 'small-2026-08',
      failure: 'timeout',
    },
  ])
  await choose(page, organizationId)
  return {}
}

/** From an order's address over the payment page to the page after it. */
async function order(page: Page, address: string): Promise<string> {
  await page.goto(address)
  await page.waitForURL(/\/c\/pay\//)
  await payByCard(page, cards.pays, /^(Start trial|Subscribe)/)
  return paidAddress(page)
}

async function paidAddress(page: Page): Promise<string> {
  await page.getByRole('heading', { name: /^(Payment Successful!|Your trial has started)$/ }).waitFor()
  return addressOf(page)
}

function addressOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

async function sessionOf(page: Page): Promise<{ id: string; userId: string }> {
  const response = await page.request.get('/__clerk/v1/client')
  const client = (await response.json()) as {
    response: { sessions: readonly { id: string; user: { id: string } }[] }
  }
  const [session] = client.response.sessions
  if (!session) throw new Error('No user is signed in.')
  return { id: session.id, userId: session.user.id }
}

/** What the web app sends with its calls. */
async function tokenOf(page: Page): Promise<string> {
  return page.evaluate<string>('window.Clerk.session.getToken()')
}

/** As the switcher of the sidebar does. */
async function choose(page: Page, organizationId: string): Promise<void> {
  const { id } = await sessionOf(page)
  await page.request.post(`/__clerk/v1/client/sessions/${id}/touch`, {
    form: { active_organization_id: organizationId },
  })
  await page.goto('/organizations')
  await page.getByRole('tab', { name: 'Organization Settings' }).waitFor()
}
