import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import { requestReconciliation } from '../../schema/api/reconciliation.ts'
import { getTrace, listWork, type SupportTrace, searchSupport } from '../../schema/api/support.ts'
import {
  approveSupportAct,
  getAuditLog,
  getSupportActs,
  requestSupportActs,
} from '../../schema/api/support-acts.ts'
import { recordOutcome } from '../../schema/billing/checkout/outcomes.ts'
import { failEvent, finishEvent } from '../../schema/inbox/events.ts'
import { setBudget } from '../../schema/ledger/budgets.ts'
import { endExpiredHolds } from '../../schema/ledger/post/holds.ts'
import { postTransfers } from '../../schema/ledger/post/post.ts'
import { type Reservation, type SpendRequest, spendCredits } from '../../schema/ledger/spend/usage.ts'
import { finishMail, listMails, tell } from '../../schema/mails/mails.ts'
import { findUser } from '../../schema/people/users/users.ts'
import { listAudit, recordLook } from '../../schema/support/audit.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../../tests/support/factories/events.ts'
import { buildUnexplained } from '../../tests/support/factories/grants.ts'
import { buildHold } from '../../tests/support/factories/holds.ts'
import { buildOrganization } from '../../tests/support/factories/organizations.ts'
import {
  buildOpenCredits,
  buildPaidCredits,
  buildPaidPlan,
  buyCredits,
  buyPlan,
} from '../../tests/support/factories/paid-purchases.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildTeam, giveSeat, invite } from '../../tests/support/factories/teams.ts'
import { buildGrant, giveCredits, spendNow } from '../../tests/support/factories/transfers.ts'
import { buildAccount, buildUser } from '../../tests/support/factories/users.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { matchInWords, traceInWords, workInWords } from '../../tests/support/product/in-words.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'
import { tryEvent } from '../../worker/events/try-event.ts'
import { processSubscriptionSync } from '../../worker/jobs/subscription-sync.ts'
import { processSupportAct } from '../../worker/support/support-act.ts'
import { createRateLimits } from '../rate-limits.ts'
import { routes } from '../routes.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { clerk, clock, database, server, stripe, worker } = product
const sam = madeOnce(() => signUp(clerk, { role: 'support' }))

/** The rights of each call are tested in rights.test.ts. */
describe('a caller who is not support staff gets a 404', () => {
  test('a user who set the role in metadata that they can write gets a 404', async () => {
    const mallory = await signUp(clerk)
    await clerk.client.users.updateUserMetadata(mallory.user_id, {
      unsafeMetadata: { role: 'support' },
      privateMetadata: { role: 'support' },
    })
    expect(await server.api(listWork, { token: mallory.token })).toMatchObject({ status: 404 })
  })

  test('a caller who floods support’s calls waits, and Clerk is asked no more often than the limit', async () => {
    const ada = await signUp(clerk)
    let asked = 0
    const isSupportStaff = async () => asked++ < 0
    const limits = createRateLimits({ perMinute: { read: 2 } })
    const limited = await product.startServer({ deps: { isSupportStaff, limits } })
    const statuses = []
    for (let call = 0; call < 4; call++)
      statuses.push((await limited.api(listWork, { token: ada.token })).status)
    await limited.close()
    expect(statuses).toEqual([404, 404, 429, 429])
    expect(asked).toBe(2)
  })

  test('the attempt of a known user is recorded in the audit log', async () => {
    const ada = await signUp(clerk)
    for (const by of [{ token: ada.token }, {}]) {
      expect((await server.api(getTrace, { ...by, query: { owner: 'user_ada' } })).status).toBe(404)
    }
    const lines = await listAudit(database.server, { actor: ada.user_id }, { limit: 10 })
    expect(lines).toMatchObject([
      { what: 'access', outcome: 'denied', target_kind: 'call', target_id: 'GET /api/support/trace' },
    ])
  })
})

describe('a colleague without the role, or who may not sign in any more', () => {
  test.each([
    [
      'loses the role',
      (id: string) => clerk.client.users.updateUserMetadata(id, { publicMetadata: { role: null } }),
    ],
    ['is banned', (id: string) => clerk.client.users.banUser(id)],
  ])('a colleague sees nothing from the next call on when one of these happens: %s', async (_, lose) => {
    const former = await signUp(clerk, { role: 'support' })
    expect(await server.api(listWork, { token: former.token })).toMatchObject({ status: 200 })
    await lose(former.user_id)
    expect(await server.api(listWork, { token: former.token })).toMatchObject({ status: 404 })
  })

  test('a session that has ended reads nothing, asks for no act and agrees to none, though its token is still valid', async () => {
    const former = await signUp(clerk, { role: 'support' })
    const session = (await clerk.client.sessions.getSessionList({ userId: former.user_id })).data[0]
    await clerk.client.sessions.revokeSession(session?.id ?? '')
    const calls = routes.filter(({ path }) => path.startsWith('/api/support/'))
    expect(calls.length).toBeGreaterThan(10)
    const headers = { authorization: `Bearer ${former.token}` }
    for (const { method, path } of calls)
      expect((await fetch(`${server.url}${path}`, { method, headers })).status, path).toBe(404)
  })

  test('no caller gets in while Clerk does not answer, and its next answer counts', async () => {
    const fresh = await signUp(clerk, { role: 'support' })
    await clerk.knob('faults', { status: 500, count: 100, path_prefix: '/bapi/v1/users' })
    expect((await server.api(listWork, { token: fresh.token })).status).toBe(503)
    await clerk.clear('faults')
    expect((await server.api(listWork, { token: fresh.token })).status).toBe(200)
  })
})

async function buildPerson(): Promise<Person> {
  return buildAccount(product, { first_name: 'Ada', last_name: 'Lovelace' })
}

/** With 500 credits that are bought, and applied by the worker. */
async function buildBuyer() {
  const person = await buildPerson()
  const bought = await buyCredits(product, { user_id: person.user_id })
  return { ...person, ...bought }
}

async function refundOf({ session_id }: { readonly session_id: string }, amount?: number) {
  const { payment_intent } = await stripe.client.checkout.sessions.retrieve(session_id)
  const of = { payment_intent: String(payment_intent), ...(amount && { amount }) }
  return stripe.client.refunds.create(of)
}

/** A paid purchase of 500 credits whose event the worker cannot read, as it was delivered. */
async function buildFailedPurchase(user_id: string) {
  const bought = await buildPaidCredits(product, { user_id })
  const events = await stripe.takeEvents()
  const completed = events.find(({ type }) => type === 'checkout.session.completed')
  const object = { ...completed?.data.object, metadata: 'of the future' }
  const event_id = await receiveStripeEvent(database.server, {
    ...eventOf('checkout.session.completed', object as { object: string }),
    id: completed?.id ?? '',
  })
  const key = { source: 'stripe', id: event_id } as const
  await expect(tryEvent(worker.deps, key)).rejects.toThrow()
  return { ...bought, event_id }
}

const ask = (query: Record<string, string>) => server.ask(getTrace, { token: sam.token, query })
const trace = async (owner: string, query: Record<string, string> = {}) =>
  traceInWords(await ask({ owner, ...query }))

const find = async (q: string) => {
  const answer = await server.ask(searchSupport, { token: sam.token, query: { q } })
  return answer.matches.map((match) => matchInWords(match, answer))
}

const keys = ({ timeline }: Pick<SupportTrace, 'timeline'>) => timeline.map(({ key }) => key)

describe('a search', () => {
  test('a search by any id of a purchase or a plan leads to its owner', async () => {
    const ada = await buildPerson()
    const bought = await buildPaidCredits(product, { user_id: ada.user_id })
    const plan = await buildPaidPlan(product, { user_id: ada.user_id })
    await worker.catchUp()
    const session = await stripe.client.checkout.sessions.retrieve(bought.session_id)
    const payment = String(session.payment_intent)
    const refund = await stripe.client.refunds.create({ payment_intent: payment })
    const [notified] = await stripe.takeEvents()
    const { latest_charge } = await stripe.client.paymentIntents.retrieve(payment)
    const { latest_invoice } = await stripe.client.subscriptions.retrieve(plan.subscription_id ?? '')
    const transfer = await database.owner
      .selectFrom('ledger_transfers')
      .select(['id', 'idempotency_key', 'grant_id'])
      .where('intent_id', '=', bought.intent_id)
      .executeTakeFirstOrThrow()
    const event = await database.owner
      .selectFrom('inbox_events')
      .select(['id'])
      .where('subject', '=', bought.customer_id)
      .where('type', '=', 'checkout.session.completed')
      .executeTakeFirstOrThrow()

    const intent = `intent:${bought.intent_id}`
    const expected: Record<string, string | null> = {
      [ada.email.toUpperCase()]: null,
      [`${ada.user_id}@tidemark.test`]: null,
      [ada.user_id]: null,
      [bought.intent_id]: intent,
      [intent]: intent,
      [`https://dashboard.stripe.com/acct_1/test/payments/${payment}?tab=events`]: intent,
      [`https://dashboard.clerk.com/apps/app_1/instances/ins_1/users/${ada.user_id}`]: null,
      [bought.session_id]: `session:${bought.session_id}`,
      [payment]: intent,
      [String(latest_charge)]: intent,
      [refund.id]: intent,
      [bought.customer_id]: null,
      [event.id]: `event:${event.id}`,
      [`${event.id}.0f0f0f0f`]: `event:${event.id}`,
      [`stripe-events:${event.id}`]: `event:${event.id}`,
      // Not delivered yet.
      [notified?.id ?? '']: intent,
      [String(transfer.id)]: `transfer:${transfer.id}`,
      [transfer.idempotency_key]: `transfer:${transfer.id}`,
      [transfer.grant_id ?? '']: `transfer:${transfer.id}`,
      [plan.subscription_id ?? '']: `subscription:${plan.subscription_id}`,
      [String(latest_invoice)]: `invoice:${latest_invoice}`,
    }
    for (const [text, item_key] of Object.entries(expected)) {
      const matches = await find(text)
      expect(matches, text).toMatchObject([{ owner: { kind: 'user', id: ada.user_id }, item_key }])
      const [match] = matches
      const { highlighted } = await trace(ada.user_id, { kind: match?.kind ?? '', id: match?.id ?? '' })
      expect(highlighted?.key ?? null, text).toBe(item_key)
    }
  })

  test('a case has each limit that refused requests once for a period, and tells of it while the period lasts', async () => {
    onTestFinished(() => clock.reset())
    clock.stop(new Date('2026-05-05T10:00:00Z'))
    const owner_id = `org_${randomUUID().replaceAll('-', '')}`
    await giveCredits(database, owner_id, { purchased: 1000 })
    const bob = await buildUser(database.server)
    const limit = { owner_id, user_id: null, period: 'day', set_by: bob, now: clock.now() } as const
    await setBudget(database.server, { ...limit, scope: 'organization', credits: 500 })
    await setBudget(database.server, { ...limit, scope: 'member_default', credits: 100 })
    const use = async (actor: string, credits: number, at: string) =>
      (await spendNow(database.server, owner_id, credits, { actor, occurred_at: new Date(at) })).outcome
    const outcomes = [
      await use(bob, 60, '2026-05-04T09:00:00Z'),
      await use(bob, 41, '2026-05-04T09:01:00Z'),
      await use(bob, 50, '2026-05-04T09:02:00Z'),
      await use('user_unknown', 101, '2026-05-05T09:00:00Z'),
    ]
    expect(outcomes).toEqual(['posted', 'over_budget', 'over_budget', 'over_budget'])

    const { timeline, case_summary } = await trace(owner_id)
    const refusals = timeline.filter(({ kind }) => kind === 'refusal')
    expect(refusals.map(({ at, title, detail }) => [at, title, detail])).toEqual([
      [
        '2026-05-05T09:00:00.000Z',
        'The limit of each member refused one request',
        'The last one was for 101 credits, by user_unknown. The limit is 100 credits a day, counted from 5 May 2026 to 6 May 2026, 00:00 UTC.',
      ],
      [
        '2026-05-04T09:02:00.000Z',
        'The limit of each member refused 2 requests',
        `The last one was for 50 credits, by u…@tidemark.test (${bob}). The limit is 100 credits a day, counted from 4 May 2026 to 5 May 2026, 00:00 UTC.`,
      ],
    ])
    expect(case_summary?.notices).toEqual([
      {
        level: 'waiting',
        sentence: 'The limit of each member refused one request in this period, which ends on 6 May 2026.',
        tell: 'Your organization’s spending limit is 100 credits a day, and less than the 101 credits of the last request are left of it. It is reset on 6 May 2026, 00:00 UTC; until then its admins can raise it on the billing page.',
        item_key: refusals[0]?.key,
      },
    ])
    const [latest] = refusals
    expect((await trace(owner_id, { kind: 'refusal', id: latest?.id ?? '' })).highlighted).toEqual(latest)
  })

  test('a case has each e-mail about its owner with what became of it, and not the id that unsubscribes', async () => {
    const owner_id = await buildUser(database.server)
    for (const occasion of ['2026-05-04', '2026-05-05'])
      await tell(database.worker, { kind: 'balance_low', owner_id, occasion, figures: { left: 99 } })
    const [mail] = (await listMails(database.owner)).filter((one) => one.owner_id === owner_id)
    if (!mail) throw new Error('No mail was written')
    await finishMail(database.worker, mail, failureOf('mail_refused', { code: 550 }))

    const answer = await trace(owner_id)
    const told = answer.timeline.filter(({ kind }) => kind === 'mail')
    expect(told.map(({ title, state, error, detail }) => [title, state, error, detail]).toSorted()).toEqual([
      ['E-mail about a low balance', 'due', null, `To u…@tidemark.test (${owner_id}).`],
      [
        'E-mail about a low balance',
        'failed',
        'The mail server refused it: 550',
        `To u…@tidemark.test (${owner_id}).`,
      ],
    ])
    expect(JSON.stringify(answer)).not.toContain(mail.id)
    const refused = told.find(({ state }) => state === 'failed')
    expect((await trace(owner_id, { kind: 'mail', id: refused?.id ?? '' })).highlighted).toEqual(refused)
  })

  test('a case opened for a hold has its life in order, beside the usages that settled it', async () => {
    const owner_id = await buildUser(database.server)
    await giveCredits(database, owner_id, { purchased: 100 })
    const at = (minutes: number) => new Date(Date.parse('2026-05-04T10:00:00Z') + minutes * 60_000)
    const reserve = (minutes: number, credits: number) =>
      buildHold(database.server, owner_id, { credits, occurred_at: at(minutes), model: 'large' })
    const ask = (hold_id: string, minutes: number, rest: object) => {
      const asked = { owner_id, actor: owner_id, hold_id, occurred_at: at(minutes), ...rest }
      return spendCredits(database.server, [asked as SpendRequest])
    }
    const open = async ({ id }: { id: string }) => {
      const [match] = await find(id)
      expect(match).toMatchObject({ kind: 'hold', id, owner: { id: owner_id }, item_key: `hold:${id}` })
      const { highlighted, timeline } = await trace(owner_id, { kind: 'hold', id })
      expect(timeline).toContainEqual(highlighted)
      expect(new Set(timeline.map(({ key }) => key)).size).toBe(timeline.length)
      return { highlighted, timeline, of: (kind: string) => timeline.filter((item) => item.kind === kind) }
    }
    const told = async (hold: { id: string }) =>
      (await open(hold)).timeline
        .filter(({ id }) => id === hold.id)
        .map(({ at: when, title, detail }) => [when.slice(11, 16), title, detail])
    const reserved = (credits: number) => [`${credits} credits reserved`, 'For “Refactoring, large”.']

    const above = await reserve(0, 50)
    await ask(above.id, 5, { action: 'extend', lasting_s: 30 * 60 })
    await ask(above.id, 20, { action: 'settle', may_spend: true, credits: 110 })
    expect(await told(above)).toEqual([
      [
        '10:20',
        'Settled: 100 credits charged',
        'Of them, 50 credits are above what was reserved. It cost 110 credits; 10 stay uncollected, because no more were available or left of a limit.',
      ],
      ['10:05', 'Last extended, until 4 May 2026 at 10:35 UTC', 'Only the last extension is recorded.'],
      ['10:00', ...reserved(50)],
    ])
    const case_ = await open(above)
    expect(case_.highlighted).toMatchObject({ state: 'settled', level: 'done', acts: [] })
    const transfers = case_.of('transfer').filter(({ caused_by = [] }) => caused_by[0] === `hold:${above.id}`)
    expect(transfers.map(({ credits }) => credits)).toEqual([-50, -50])
    expect(case_.highlighted?.led_to?.toReversed()).toEqual(transfers.map(({ key }) => key))
    const [settled, extended] = case_.of('hold')
    expect(settled).toMatchObject({
      key: `hold:${above.id}/resolved`,
      caused_by: [`hold:${above.id}`],
      led_to: case_.highlighted?.led_to,
    })
    expect(extended).toMatchObject({ key: `hold:${above.id}/extended`, acts: [] })
    expect(await find(`hold/${above.id}/above`)).toMatchObject([
      { kind: 'transfer', item_key: transfers[0]?.key },
    ])

    await giveCredits(database, owner_id, { purchased: 200 })
    const late = await reserve(30, 40)
    await ask(late.id, 60, { action: 'settle', may_spend: true, credits: 25 })
    expect(await told(late)).toEqual([
      [
        '11:00',
        'Settled late: 25 credits charged',
        'It had expired, so only available credits could be charged.',
      ],
      ['10:45', 'Hold expired', 'Its 40 credits were no longer reserved.'],
      ['10:30', ...reserved(40)],
    ])
    const forgotten = await reserve(70, 20)
    expect(await told(forgotten)).toEqual([
      [
        '11:25',
        'Hold expired',
        'Its 20 credits count as reserved until the ledger ends it, within a minute.',
      ],
      ['11:10', ...reserved(20)],
    ])
    expect((await open(forgotten)).highlighted).toMatchObject({ level: 'waiting', acts: ['release_hold'] })
    const { timeline, case_summary } = await trace(owner_id)
    // Of all the owner's holds those that are open.
    expect(new Set(timeline.flatMap(({ kind, id }) => (kind === 'hold' ? [id] : [])))).toEqual(
      new Set([forgotten.id]),
    )
    expect(case_summary?.spendable).toEqual({ available: 155, held: 20, debt: 0 })
    await endExpiredHolds(database.worker, at(90))
    expect(await told(forgotten)).toEqual([
      [
        '11:25',
        'Hold expired',
        'Its 20 credits were no longer reserved. It may be settled late within 24 hours, for what is available then.',
      ],
      ['11:10', ...reserved(20)],
    ])
  })

  test('a case says in plain words why a call would be refused: what is reserved by whom, a debt, and what expires', async () => {
    const organization = `org_${randomUUID().replaceAll('-', '')}`
    await giveCredits(database, organization, { purchased: 100 })
    const noticesOf = async (owner_id: string) => {
      return (await trace(owner_id)).case_summary?.notices
    }
    expect(await noticesOf(organization)).toEqual([])
    const occurred_at = new Date('2026-05-04T10:00:00Z')
    const reserve = (fields: Partial<Reservation>) =>
      buildHold(database.server, organization, { credits: 1, occurred_at, ...fields })
    const bob = await buildUser(database.server)
    const bobs = await reserve({ actor: bob })
    for (let n = 1; n < 50; n++) await reserve({ actor: bob })
    const another = await reserve({ actor: 'user_unknown', credits: 30, lasting_s: 60 * 60 })
    const member = `u…@tidemark.test (${bob})`
    const tell = expect.any(String)
    const sentence = `${member} has 50 open holds, which is the maximum: the next is refused until one of them ends.`
    const reserved = `80 credits are reserved by 51 open holds (50 of ${member}, 1 of user_unknown)`
    const until = 'until 4 May 2026 at 11:00 UTC at the latest'
    expect(await noticesOf(organization)).toEqual([
      { level: 'problem', sentence, tell, item_key: null },
      {
        level: 'waiting',
        sentence: `${reserved} ${until}; meanwhile a request for more than 20 credits is refused.`,
        tell,
        item_key: null,
      },
    ])

    const detailOf = async ({ id }: { id: string }) => {
      return (await trace(organization, { kind: 'hold', id })).highlighted?.detail
    }
    expect(await detailOf(bobs)).toBe(`For “Refactoring”, by ${member}.`)
    expect(await detailOf(another)).toBe('For “Refactoring”, by user_unknown.')

    const person = await buildUser(database.server)
    await giveCredits(database, person, { plan: 10, purchased: -40 })
    expect(await noticesOf(person)).toEqual([
      {
        level: 'problem',
        sentence: 'Every request is refused until a debt of 40 credits is paid back.',
        tell: 'A refund or dispute took back 40 credits that were used. Credits that are added cover that first. Until then requests are refused.',
        item_key: null,
      },
    ])
    const waiting = (sentence: string) => [{ level: 'waiting', sentence, tell, item_key: null }]
    await giveCredits(database, person, { plan: 100 })
    expect(await noticesOf(person)).toEqual(
      waiting('A debt of 40 credits of one account takes as many of the other.'),
    )
  })

  test('a search by the address of a seat or an invitation leads to the organization', async () => {
    const team = await buildTeam(product)
    await giveSeat(product, team, team.admin.email)
    const email = `${randomUUID().slice(0, 8)}@tidemark.test`
    const invitation = await invite(product, team, email)
    const theirs = { owner: { kind: 'organization', id: team.organization.id } }
    expect(await find(email)).toMatchObject([
      { ...theirs, title: `${team.organization.name}: invitation of ${email.slice(0, 1)}…@tidemark.test` },
    ])
    expect(await find(team.admin.email)).toMatchObject([
      { kind: 'user', id: team.admin.user_id },
      {
        ...theirs,
        title: `${team.organization.name}: seat of ${team.admin.email.slice(0, 1)}…@tidemark.test`,
      },
    ])
    expect(await find(invitation.id)).toMatchObject([{ ...theirs, item_key: `invitation:${invitation.id}` }])
    expect(await find(team.organization.id)).toMatchObject([theirs])
  })

  test('a search finds an organization that is gone, by its id and by the address of who bought its plan', async () => {
    const team = await buildTeam(product)
    await clerk.client.organizations.deleteOrganization(team.organization.id)
    const theirs = { owner: { kind: 'organization', id: team.organization.id } }
    expect(await find(team.organization.id)).toMatchObject([theirs])
    const { email = '' } = (await findUser(database.owner, team.admin.user_id)) ?? {}
    expect(await find(email)).toMatchObject([
      { kind: 'user', id: team.admin.user_id },
      { ...theirs, title: `Plan of ${email.slice(0, 1)}…@tidemark.test` },
    ])
    const query = { owner: team.organization.id }
    const { owner } = await server.ask(getTrace, { token: sam.token, query })
    expect(owner).toMatchObject({ kind: 'organization', id: team.organization.id })
  })

  test.each([
    'unknown@tidemark.test',
    'user_unknown',
    'cs_test_nothing',
    'evt_nothing',
    '0b1f3c52-8f5c-4f3b-9c7e-111111111111',
    'three words here',
    'constructor:nothing',
    "' OR true --",
  ])('a search for %s finds nothing, exactly as it was given', async (text) => {
    expect(await find(text)).toEqual([])
  })

  test('a search by name finds people and organizations, by all words in any case', async () => {
    // A word of digits alone could be the number of an invoice.
    const name = `Zelda Z${randomUUID().slice(0, 8)}`
    const [first_name = '', last_name = ''] = name.split(' ')
    const zelda = await signUp(clerk, { first_name, last_name })
    const org = await buildOrganization(clerk, zelda, `${name} & Sons`)
    const idsOf = async (text: string) => (await find(text)).map(({ id }) => id)
    expect((await idsOf(name.toUpperCase())).toSorted()).toEqual([org.id, zelda.user_id].toSorted())
    expect(await idsOf(`sons ${last_name}`)).toEqual([org.id])
    expect(await idsOf(last_name)).toHaveLength(2)
    expect(await idsOf(`${name} the Second`)).toEqual([])
  })

  test('a search by invoice number or by card, amount and day leads to the payment, once Stripe can find it', async () => {
    const ada = await buildPerson()
    const bought = await buildPaidCredits(product, { user_id: ada.user_id })
    const plan = await buildPaidPlan(product, { user_id: ada.user_id })
    await worker.catchUp()
    const { latest_invoice } = await stripe.client.subscriptions.retrieve(plan.subscription_id ?? '')
    const { number, created } = await stripe.client.invoices.retrieve(String(latest_invoice))
    const day = new Date(created * 1000).toISOString().slice(0, 10)
    expect(await find(number ?? '')).toEqual([])
    await stripe.knob('clock/advance', { seconds: 120 })
    const owner = { kind: 'user', id: ada.user_id }
    expect(await find(number?.toLowerCase() ?? '')).toMatchObject([
      { owner, kind: 'invoice', item_key: `invoice:${latest_invoice}` },
    ])
    const ofCard = (amount: string, at = day) => find(`4242 ${amount} ${at}`)
    const hits = (await ofCard('€7,00')).filter(({ owner: found }) => found?.id === ada.user_id)
    expect(hits).toMatchObject([{ kind: 'charge', item_key: `intent:${bought.intent_id}` }])
    expect(await ofCard('7.01')).toEqual([])
    expect(await ofCard('7.00', '2020-01-01')).toEqual([])
    expect(await ofCard('7.00', '2020-13-99')).toEqual([])
  })

  test('a search for what only Stripe can know says so when Stripe does not answer', async () => {
    await stripe.knob('faults', { status: 500, count: 100 })
    const answer = await server.api(searchSupport, { token: sam.token, query: { q: 'pi_nothing' } })
    await stripe.clear('faults')
    expect(answer).toMatchObject({ status: 503, body: { code: 'stripe_unavailable' } })
  })
})

describe('a trace', () => {
  test('a trace calls colleagues by their name or their address, also those who have no account with us', async () => {
    const ada = await buildPerson()
    const [sue, joe] = [
      await signUp(clerk, { role: 'support', first_name: 'Sue', last_name: 'Support' }),
      await signUp(clerk, { role: 'support' }),
    ]
    const id = randomUUID()
    const adjustment = { credits: 9000, customer_note: 'With our apologies' }
    const targets = [{ kind: 'user' as const, id: ada.user_id }]
    const params = { adjustment }
    const body = { id, kind: 'adjust' as const, targets, reason: 'Promised on the phone', params }
    await server.ask(requestSupportActs, { token: sue.token, body })
    await server.ask(approveSupportAct, { token: joe.token, body: { id } })
    await processSupportAct(worker.deps, { act_id: id })

    const { timeline } = await trace(ada.user_id)
    const detailOf = (kind: string) => timeline.find((item) => item.kind === kind)?.detail
    expect(detailOf('act')).toContain(`Asked for by Sue Support, agreed to by ${joe.email}: Promised`)
    expect(detailOf('transfer')).toBe('By Sue Support.')
    const { data } = await server.ask(getSupportActs, { token: sam.token, query: { id } })
    expect(data.acts).toMatchObject([
      { requested_by: { name: 'Sue Support' }, approved_by: { id: joe.user_id, name: joe.email } },
    ])
    const { run } = await server.ask(requestReconciliation, { token: sue.token, body: {} })
    expect(run.requested_by).toBe('Sue Support')
    // A caller without the role is masked as customers are in lists.
    await server.api(listWork, { token: ada.token })
    const audit = await server.ask(getAuditLog, { token: sam.token, query: { actor: ada.user_id } })
    expect(audit.data.items).toMatchObject([{ outcome: 'denied', actor: { id: ada.user_id } }])
    expect(JSON.stringify(audit.data.items)).not.toContain(ada.email)
  })

  test('a trace says which credits are missing, and which event failed to bring them', async () => {
    const ada = await buildPerson()
    const { event_id, intent_id, session_id } = await buildFailedPurchase(ada.user_id)
    const opened = await trace(ada.user_id, { kind: 'event', id: event_id })
    expect(opened.person).toMatchObject({ name: 'Ada Lovelace', email: ada.email, at_clerk: 'known' })
    expect(opened.case_summary).toMatchObject({
      agrees: false,
      sentence: expect.stringMatching(
        new RegExp(
          `^500 credits of the purchase of .+ are missing: its event ${event_id} failed: Unrecognized format`,
        ),
      ),
      problems: [{ credits: 500, item_key: `event:${event_id}`, replay: { kind: 'event', id: event_id } }],
      balance: { purchased: { is: 0, should: 500 }, plan: { is: 0, should: 0 } },
      grants: [{ account: 'purchased', credits: { is: 0, should: 500 } }],
      plan_type: { is: 'starter', should: 'starter' },
      seats: null,
    })
    expect(keys(opened).filter((key) => !key.startsWith('attempt:'))).toEqual([
      `event:${event_id}`,
      `session:${session_id}`,
      `intent:${intent_id}`,
    ])
    expect(opened.timeline.find(({ kind }) => kind === 'attempt')).toMatchObject({
      level: 'problem',
      state: 'contradiction',
      caused_by: [`event:${event_id}`],
    })
    expect(opened.highlighted).toMatchObject({ key: `event:${event_id}`, level: 'problem', state: 'failed' })
    expect(opened.timeline.at(-1)).toMatchObject({ level: 'problem', state: 'open', credits: 500 })
  })

  test('the trace of a customer without problems says that everything is there', async () => {
    const ada = await buildPerson()
    const bought = await buildPaidCredits(product, { user_id: ada.user_id })
    await buildPaidPlan(product, { user_id: ada.user_id })
    await worker.catchUp()
    await refundOf(bought, 350)
    await worker.catchUp()
    const { case_summary, timeline } = await trace(ada.user_id)
    expect(case_summary).toMatchObject({
      agrees: true,
      problems: [],
      grants: [],
      plan_type: { is: 'pro', should: 'pro' },
      balance: { total: { is: 750, should: 750 } },
    })
    const of = (kind: string) => timeline.filter((item) => item.kind === kind)
    expect(of('transfer').map(({ credits, balance_after }) => ({ credits, balance_after }))).toEqual([
      { credits: -250, balance_after: 250 },
      { credits: 500, balance_after: 500 },
      { credits: 500, balance_after: 500 },
    ])
    expect(of('charge')).toMatchObject([{ title: '€3.50 refunded of €7.00', state: 'refunded' }])
    expect(of('invoice')).toMatchObject([{ money: { amount_minor: 2000, currency: 'EUR' } }])
    expect(of('subscription')).toMatchObject([{ title: 'Subscription to Pro, monthly, 1 seat' }])
    // Only the shown fields of an event are returned, without cards and addresses.
    // A made-up id may have the digits of the card as a part.
    for (const told of [/"card"/, /"address"/, /"url"/, /visa/, /(?<![\w-])4242(?![\w-])/]) {
      expect(JSON.stringify(timeline)).not.toMatch(told)
    }
  })

  test('a trace says that seats were changed and are not invoiced, until they are', async () => {
    const ada = await buildPerson()
    const owner_id = `org_${randomUUID().replaceAll('-', '')}`
    const order = { user_id: ada.user_id, owner_id, plan_type: 'teams', seats: 2 } as const
    const { subscription_id } = await buildPaidPlan(product, order)
    const { subscriptions } = stripe.client
    const { items } = await subscriptions.retrieve(subscription_id ?? '')
    const five = [{ id: items.data[0]?.id ?? '', quantity: 5 }]
    const update = { items: five, proration_behavior: 'create_prorations' } as const
    await subscriptions.update(subscription_id ?? '', update)
    await worker.catchUp()
    const told = async () => (await trace(owner_id)).timeline.find((item) => item.kind === 'subscription')
    expect(await told()).toMatchObject({
      level: 'waiting',
      detail: expect.stringMatching(/ Changed to 5 seats on \d+ \w+ \d+, not yet invoiced or paid\. /),
      acts: ['replay', 'invoice_changes', 'end_plan_later', 'end_plan'],
    })
    const target = { kind: 'subscription', id: subscription_id ?? '' } as const
    const { id } = await buildAct(database, { kind: 'invoice_changes', target })
    await processSupportAct(worker.deps, { act_id: id })
    expect(await told()).toMatchObject({
      level: 'done',
      detail: expect.not.stringContaining('not yet invoiced'),
      acts: ['replay', 'end_plan_later', 'end_plan'],
    })
    await worker.catchUp()
    expect((await trace(owner_id)).timeline).toContainEqual(
      expect.objectContaining({ title: expect.stringMatching(/^Invoice for a change of a plan by support/) }),
    )
  })

  test('a trace says how many events came and are not applied', async () => {
    const ada = await buildBuyer()
    const known = async () => (await trace(ada.user_id)).case_summary
    expect(await known()).toMatchObject({ unapplied_events: 0 })
    const session = { ...sessionOf(ada.intent_id), customer: ada.customer_id }
    const id = await receiveStripeEvent(database.server, eventOf('checkout.session.completed', session))
    expect(await known()).toMatchObject({ agrees: true, unapplied_events: 1 })
    const done = { state: 'ignored', reason: 'Test' } as const
    await finishEvent(database.worker, { source: 'stripe', id }, { ...done, now: new Date() })
  })

  test('a trace says that Teams took the place of Pro, and what was refunded for its unused part', async () => {
    const ada = await buildPerson()
    const pro = await buyPlan(product, { user_id: ada.user_id })
    const owner_id = `org_${randomUUID().replaceAll('-', '')}`
    const { user_id } = ada
    const ends_subscription_id = pro.subscription_id
    await buyPlan(product, { user_id, owner_id, plan_type: 'teams', ends_subscription_id })
    const plan = async () => (await trace(user_id)).timeline.find(({ kind }) => kind === 'subscription')
    expect(await plan()).toMatchObject({
      level: 'waiting',
      detail: expect.stringContaining('Teams was paid in its place, so it ends now.'),
    })
    await product.advanceDays(1)
    await processSubscriptionSync(worker.deps, { subscription_id: ends_subscription_id ?? '' })
    await worker.catchUp()
    expect(await plan()).toMatchObject({
      level: 'done',
      detail: expect.stringMatching(/€19\.\d\d were refunded for its unused part \(re_\w+\)/),
    })
    const charge = (await trace(user_id)).timeline.find(({ kind }) => kind === 'charge')
    expect(charge?.title).toMatch(/^€19\.\d\d refunded for the unused part of €20\.00$/)
  })

  test('a trace tells an open dispute from a lost one, and from one that was won', async () => {
    const ada = await buildBuyer()
    const [charge] = (await stripe.client.charges.list({ customer: ada.customer_id, limit: 1 })).data
    const said = async () => {
      await worker.catchUp()
      const { case_summary, timeline } = await trace(ada.user_id)
      return [
        case_summary?.notices[0]?.sentence,
        timeline.find(({ kind, id }) => kind === 'charge' && id === charge?.id)?.title,
      ]
    }
    await stripe.knob(`charges/${charge?.id}/dispute`)
    const [dispute] = (await stripe.client.disputes.list({ charge: charge?.id ?? '' })).data
    expect(await said()).toEqual([
      expect.stringMatching(
        /^Dispute open since .+\. Stripe takes evidence until .+\. It is about €7\.00\.$/,
      ),
      '€7.00 held by a dispute of €7.00',
    ])
    await stripe.knob(`disputes/${dispute?.id}/close`, { outcome: 'lost' })
    expect(await said()).toEqual([
      expect.stringMatching(/^Dispute lost on .+\. It is about €7\.00\.$/),
      '€7.00 lost in a dispute of €7.00',
    ])
  })

  test('a trace says that a refund failed once the credits are back', async () => {
    const ada = await buildBuyer()
    const refund = await refundOf(ada, 300)
    await worker.catchUp()
    await stripe.knob(`refunds/${refund.id}/status`, { status: 'failed' })
    const notices = async () => (await trace(ada.user_id)).case_summary?.notices
    expect(await notices()).toEqual([])
    await worker.catchUp()
    expect(await notices()).toEqual([
      {
        level: 'problem',
        sentence: expect.stringMatching(
          /^A refund failed on .+: the money is still with us, and the credits are back/,
        ),
        tell: expect.stringMatching(
          /^Your bank did not take our refund of .+ Your credits are available again/,
        ),
        item_key: expect.any(String),
      },
    ])
    expect((await trace(ada.user_id)).case_summary?.balance.purchased).toEqual({ is: 500, should: 500 })
    await product.advanceDays(1)
    await refundOf(ada, 100)
    await worker.catchUp()
    expect(await notices()).toEqual([])
  })

  test('a trace says that Clerk did not send an invitation, until the address is invited again', async () => {
    const team = await buildTeam(product, { seats: 3 })
    const email = `guest.${randomUUID()}@tidemark.test`
    const path_prefix = `/bapi/v1/organizations/${team.organization.id}/invitations`
    await clerk.knob('faults', { status: 500, count: 20, path_prefix })
    await expect(invite(product, team, email)).rejects.toThrow()
    // The sandbox's clock may be months ahead of the database's, which stamps the invitation.
    clock.advance(65 * 86_400_000)
    const notices = async () => (await trace(team.organization.id)).case_summary?.notices ?? []
    expect(await notices()).toMatchObject([
      {
        level: 'problem',
        sentence: expect.stringMatching(
          /^Invitation of guest\.\S+@tidemark\.test failed on .*: Clerk did not answer\. Its seat is free/,
        ),
      },
    ])
    clock.reset()
    await clerk.clear('faults')
    await invite(product, team, email)
    expect(await notices()).toEqual([])
  })

  test.each([
    [
      'the same sum within ten minutes',
      [500, 500],
      420,
      /^Paid twice within 7 minutes: 500 credits for €7\.00, on /,
    ],
    [
      'another sum within a minute',
      [500, 1000],
      40,
      /^Two payments within 40 seconds: 500 credits .+, then 1,000 /,
    ],
    ['the same sum an hour later', [500, 500], 3600, null],
    ['another sum minutes later', [500, 1000], 420, null],
  ] as const)(
    'a trace says by the clock of Stripe that a customer paid %s',
    async (_, bought, seconds, said) => {
      const ada = await buildPerson()
      const bills = []
      for (const credits of bought)
        bills.push(await buildPaidCredits(product, { user_id: ada.user_id, credits }))
      // Both are heard of together.
      await worker.catchUp()
      const paidAt = (intent_id = '', occurred_at = new Date()) => {
        const events = database.owner.updateTable('inbox_events').where('client_reference_id', '=', intent_id)
        return events.set({ occurred_at }).execute()
      }
      await paidAt(bills[0]?.intent_id)
      await paidAt(bills[1]?.intent_id, new Date(Date.now() + seconds * 1000 + 500))
      const notices = async () => (await trace(ada.user_id)).case_summary?.notices
      expect(await notices()).toEqual(
        said ? [expect.objectContaining({ sentence: expect.stringMatching(said) })] : [],
      )
      await refundOf(bills[0] ?? expect.fail('Nothing was bought'))
      await worker.catchUp()
      expect(await notices()).toEqual([])
    },
  )

  test('a trace says that a bank refused a payment, until one of the same kind is made', async () => {
    const ada = await buildPerson()
    const refused = await buildOpenCredits(product, { user_id: ada.user_id })
    const failure = { failure_code: 'payment_failed', failure_reason: 'payment_failed' } as const
    const key = { id: refused.intent_id, stripe_session_id: refused.session_id }
    await database.worker
      .transaction()
      .execute((trx) => recordOutcome(trx, { ...key, state: 'failed', failure }))
    const notices = async () => (await trace(ada.user_id)).case_summary?.notices
    expect(await notices()).toMatchObject([
      {
        sentence: expect.stringMatching(/^The bank refused the payment for 500 credits on /),
        tell: expect.stringMatching(
          /^Your bank refused the payment for 500 credits on .+ You were not charged/,
        ),
      },
    ])
    await buyPlan(product, { user_id: ada.user_id })
    expect(await notices()).toHaveLength(1)
    await buyCredits(product, { user_id: ada.user_id })
    expect(await notices()).toEqual([])
  })

  test('a trace says that plan credits expired at the end of a month, for two weeks', async () => {
    const ada = await buildPerson()
    await buyPlan(product, { user_id: ada.user_id })
    await product.advanceDays(32)
    await worker.catchUp()
    const said = async () => (await trace(ada.user_id)).case_summary?.notices.map(({ sentence }) => sentence)
    expect(await said()).toEqual([
      expect.stringMatching(/^A month ended on .+, and 500 unused plan credits expired\.$/),
    ])
    clock.advance(15 * 86_400_000)
    expect(await said()).toEqual([])
    clock.reset()
  })

  test('a trace finds a transfer that nothing explains', async () => {
    const ada = await buildPerson()
    const bought = await buyPlan(product, { user_id: ada.user_id })
    const { grant, ...transfer } = buildUnexplained(bought, clock.now())
    await postTransfers(database.worker, [{ grant, ...transfer }])
    const { case_summary, timeline } = await trace(ada.user_id)
    expect(case_summary).toMatchObject({
      agrees: false,
      sentence: expect.stringMatching(
        /^900 credits of the late payment for the month from 1 January 2026 are too many: /,
      ),
      problems: [{ credits: -900, replay: { kind: 'subscription', id: bought.subscription_id } }],
      grants: [{ id: grant.id, account: grant.account, credits: { is: 900, should: 0 } }],
      balance: { total: { is: 1400, should: 500 } },
    })
    expect(timeline.find(({ kind, credits }) => kind === 'transfer' && credits === 900)).toBeDefined()
  })

  test('the case of an organization has its seats and invitations, and only invited people by their address', async () => {
    const team = await buildTeam(product, { seats: 3 })
    await giveSeat(product, team, team.admin.email)
    const email = `secret.${randomUUID()}@tidemark.test`
    const invitation = await invite(product, team, email)
    const opened = await trace(team.organization.id)
    expect(opened.person).toMatchObject({ name: team.organization.name, email: null })
    expect(opened.case_summary).toMatchObject({ seats: { total: 3, held: 2, active: 1, pending: 1 } })
    expect(keys(opened)).toEqual(
      expect.arrayContaining([`invitation:${invitation.id}`, `subscription:${team.subscription_id}`]),
    )
    expect(
      opened.timeline
        .filter(({ kind }) => kind === 'seat')
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(['active', 'pending'])
    const titles = opened.timeline.flatMap(({ kind, title }) => (kind === 'event' ? [] : [title]))
    expect(titles).toEqual(expect.arrayContaining([`Invitation of ${email}`, 'Seat of s…@tidemark.test']))
    expect(JSON.stringify(opened)).not.toContain(team.admin.email)
    expect(opened.case_summary?.notices).toEqual([])
    await giveSeat(product, team, `last.${randomUUID()}@tidemark.test`)
    expect((await trace(team.organization.id)).case_summary?.notices).toMatchObject([
      {
        sentence: expect.stringMatching(
          /^All 3 seats are taken \(\d in use, \d reserved\): the next invitation is refused/,
        ),
      },
    ])
    expect((await trace(team.admin.user_id)).timeline).toMatchObject([{ kind: 'seat', state: 'active' }])
  })

  test('a trace is read page by page, each item once, without uses of credits', async () => {
    const user_id = await buildUser(database.server)
    await postTransfers(
      database.worker,
      Array.from({ length: 70 }, () => buildGrant(user_id, 10)),
    )
    await spendNow(database.server, user_id, 1)
    await postTransfers(database.worker, [buildGrant(user_id, 10)])
    const first = await trace(user_id)
    const second = await trace(user_id, { cursor: first.next_cursor ?? '' })
    expect(second.next_cursor).toBeNull()
    const all = [...first.timeline, ...second.timeline]
    expect(all).toHaveLength(71)
    expect(new Set(all.map(({ key }) => key)).size).toBe(71)
    expect(all.map(({ id }) => Number(id))).toEqual(all.map(({ id }) => Number(id)).toSorted((a, b) => b - a))
    const broken = await server.api(getTrace, { token: sam.token, query: { owner: user_id, cursor: 'x' } })
    expect(broken).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  })

  test('the trace of an owner contains nothing of other owners', async () => {
    const [ada, bob] = [await buildPerson(), await buildPerson()]
    const theirs = await buildFailedPurchase(ada.user_id)
    await buyCredits(product, { user_id: bob.user_id })
    const [ofAda, ofBob] = [await trace(ada.user_id), await trace(bob.user_id)]
    expect(keys(ofAda).filter((key) => keys(ofBob).includes(key))).toEqual([])
    expect(JSON.stringify(ofBob)).not.toContain(theirs.event_id)
    expect(ofBob.case_summary?.agrees).toBe(true)
    // The id of another owner's event highlights nothing here.
    const mixed = await trace(bob.user_id, { kind: 'event', id: theirs.event_id })
    expect(mixed).toMatchObject({ owner: { id: bob.user_id }, highlighted: null })
  })

  test('the trace of an object without a matching customer shows the object alone', async () => {
    const event = eventOf('invoice.paid', { object: 'invoice' })
    const id = await receiveStripeEvent(database.server, event)
    await finishEvent(
      database.worker,
      { source: 'stripe', id },
      { state: 'ignored', reason: 'Not ours', now: new Date() },
    )
    const alone = traceInWords(await ask({ kind: 'event', id }))
    expect(alone).toMatchObject({
      owner: null,
      case_summary: null,
      timeline: [{ key: `event:${id}`, error: 'Not ours' }],
    })
    const nothing = await server.api(getTrace, {
      token: sam.token,
      query: { kind: 'event', id: 'evt_nothing' },
    })
    expect(nothing).toMatchObject({ status: 404, body: { code: 'support_item_not_found' } })
  })
})

describe('the list of work', () => {
  const work = async (query: Record<string, string> = {}) =>
    workInWords(await server.ask(listWork, { token: sam.token, query }))

  test('the list of work has failed and stuck rows, the oldest first, with the money and credits at stake', async () => {
    const mark = randomUUID()
    const now = clock.now().getTime()
    const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000)
    const paidEvent = async (minutes: number, state: 'failed' | 'received' | 'ignored') => {
      const { id: intent_id, user_id } = await buildPurchase(database.server)
      const id = await receiveStripeEvent(
        database.server,
        eventOf('checkout.session.completed', sessionOf(intent_id)),
      )
      const key = { source: 'stripe', id } as const
      if (state === 'failed') await failEvent(database.worker, key, { reason: mark, now: new Date() })
      if (state === 'ignored')
        await finishEvent(database.worker, key, { state, reason: mark, now: new Date() })
      await database.owner
        .updateTable('inbox_events')
        .set({ received_at: minutesAgo(minutes), ...(state === 'received' && { last_error: mark }) })
        .where('id', '=', id)
        .execute()
      return { id, user_id }
    }
    const recent = await paidEvent(30, 'received')
    const old = await paidEvent(600, 'failed')
    const ignored = await paidEvent(60, 'ignored')
    const { id: stuck_intent } = await buildPurchase(database.server, {
      created_at: minutesAgo(300),
      credits: 50_000,
    })
    await database.change('checkout_intents', { id: stuck_intent }, { last_error: mark, attempts: 3 })

    const { rows, counts, queues, oldest_unapplied_event } = await work({ text: mark.toUpperCase() })
    expect(rows).toMatchObject([
      {
        key: `event:${old.id}`,
        state: 'failed',
        error: mark,
        owner: { id: old.user_id },
        money: { amount_minor: 700, currency: 'EUR' },
        credits: 500,
        next_try_at: null,
        replay: { kind: 'event', id: old.id },
      },
      { key: `intent:${stuck_intent}`, state: 'stuck', attempts: 3, credits: 50_000 },
      { key: `event:${recent.id}`, state: 'stuck', error: mark, next_try_at: expect.any(String) },
    ])
    const keysOf = async (query: Record<string, string>) =>
      (await work({ text: mark, ...query })).rows.map(({ key }) => key)
    expect(await keysOf({ order: 'money' })).toEqual([
      `intent:${stuck_intent}`,
      `event:${old.id}`,
      `event:${recent.id}`,
    ])
    expect(await keysOf({ kind: 'event' })).toEqual([`event:${old.id}`, `event:${recent.id}`])
    expect(await keysOf({ state: 'stuck', older_than_minutes: '120' })).toEqual([`intent:${stuck_intent}`])
    expect(await keysOf({ state: 'stuck', to: minutesAgo(120).toISOString() })).toEqual([
      `intent:${stuck_intent}`,
    ])
    const around = (minutes: number) => ({
      from: minutesAgo(minutes + 1).toISOString(),
      to: minutesAgo(minutes - 1).toISOString(),
    })
    expect(await keysOf(around(600))).toEqual([`event:${old.id}`])
    expect(await keysOf(around(300))).toEqual([`intent:${stuck_intent}`])
    expect(await keysOf({ from: minutesAgo(299).toISOString() })).toEqual([`event:${recent.id}`])
    expect(await keysOf({ state: 'ignored' })).toEqual([`event:${ignored.id}`])
    expect(counts).toEqual(
      expect.arrayContaining([{ kind: 'intent', state: 'stuck', count: 1, capped: false }]),
    )
    expect(queues?.map(({ name }) => name)).toEqual(expect.arrayContaining(['stripe-events', 'clerk-events']))
    expect(oldest_unapplied_event).toMatchObject({ id: recent.id, type: 'checkout.session.completed' })
  })

  test('a payment whose event and checkout both failed is one row, with its money once', async () => {
    const mark = randomUUID()
    const { id: intent_id } = await buildPurchase(database.server)
    const event = eventOf('checkout.session.completed', sessionOf(intent_id))
    const id = await receiveStripeEvent(database.server, event)
    await failEvent(database.worker, { source: 'stripe', id }, { reason: mark, now: new Date() })
    const intent = database.owner.updateTable('checkout_intents').where('id', '=', intent_id)
    for (const state of [
      { last_error: mark },
      {
        state: 'failed' as const,
        stripe_session_id: `cs_test_${mark}`,
        failure_code: 'contradiction' as const,
        failure_reason: mark,
      },
    ]) {
      await intent.set(state).execute()
      const { rows } = await work({ text: mark })
      expect(rows).toMatchObject([{ key: `event:${id}`, money: { amount_minor: 700 }, credits: 500 }])
    }
  })

  test('a failed checkout whose event names another customer is a problem of its owner’s case', async () => {
    const ada = await buildPerson()
    const { id: intent_id } = await buildPurchase(database.server, { user_id: ada.user_id })
    const session = { ...sessionOf(intent_id), customer: 'cus_of_another' }
    const id = await receiveStripeEvent(database.server, eventOf('checkout.session.completed', session))
    await failEvent(database.worker, { source: 'stripe', id }, { reason: 'Another one', now: new Date() })
    await database.owner
      .updateTable('checkout_intents')
      .set({
        state: 'failed',
        stripe_session_id: `cs_test_${intent_id}`,
        failure_code: 'contradiction',
        failure_reason: 'Another one',
      })
      .where('id', '=', intent_id)
      .execute()
    const { case_summary } = await trace(ada.user_id)
    expect(case_summary).toMatchObject({ agrees: false, problems: [{ item_key: `intent:${intent_id}` }] })
  })

  test('the list of work is read page by page', async () => {
    const mark = randomUUID()
    const made = new Set<string>()
    for (let i = 0; i < 60; i += 1) {
      const id = await receiveStripeEvent(database.server, eventOf('invoice.paid', { object: 'invoice' }))
      await failEvent(database.worker, { source: 'stripe', id }, { reason: mark, now: new Date() })
      made.add(`event:${id}`)
    }
    const first = await work({ text: mark })
    const second = await work({ text: mark, cursor: first.next_cursor ?? '' })
    expect(second.next_cursor).toBeNull()
    expect(first.rows).toHaveLength(50)
    expect(new Set([...first.rows, ...second.rows].map(({ key }) => key))).toEqual(made)
  })
})

describe('two people at one case', () => {
  test('the second person at a case is told, until the first has closed it; each opening is in the audit log once', async () => {
    const ada = await buildPerson()
    const kim = await signUp(clerk, { role: 'support', first_name: 'Kim', last_name: 'Care' })
    const open = (person: Person) =>
      server.ask(getTrace, { token: person.token, query: { owner: ada.user_id } })

    expect((await open(kim)).visitors).toEqual([])
    expect(await open(sam)).toMatchObject({
      visitors: [{ user_id: kim.user_id }],
      names: { [kim.user_id]: 'Kim Care' },
    })
    expect((await open(kim)).visitors).toMatchObject([{ user_id: sam.user_id }])
    const lines = await listAudit(database.server, { owner_id: ada.user_id }, { limit: 10 })
    expect(lines.map(({ actor, what }) => ({ actor, what }))).toEqual([
      { actor: sam.user_id, what: 'open_case' },
      { actor: kim.user_id, what: 'open_case' },
    ])
    clock.advance(60_000)
    await open(sam)
    clock.advance(60_000)
    expect((await open(sam)).visitors).toEqual([])
    expect((await open(kim)).visitors).toMatchObject([{ user_id: sam.user_id }])
  })

  test('each look of support has its line in the audit log, without the text that was sought, and one in ten minutes', async () => {
    const { user_id: owner_id } = await buildPerson()
    const kim = await signUp(clerk, { role: 'support' })
    const event = await receiveStripeEvent(database.server, eventOf('invoice.paid', { object: 'invoice' }))
    const customer = (await stripe.client.customers.create({})).id
    const act = randomUUID()
    // Of a time before everything.
    const at = JSON.stringify({ at: '2001-01-01T00:00:00.000000Z', key: 'made/up' })
    const cursor = Buffer.from(at).toString('base64url')
    const of = (what: string, target_kind: string, target_id: unknown) => ({ what, target_kind, target_id })
    const looks: [string, object?][] = [
      [`audit?owner_id=${owner_id}`, { ...of('audit', 'owner_id', owner_id), owner_id }],
      ['audit?actor=ada@tidemark.test', of('audit', 'actor', expect.not.stringContaining('@tidemark'))],
      ['audit?owner_id=nobody', { ...of('audit', 'owner_id', 'nobody'), owner_id: null }],
      [`acts?id=${act}`, of('acts', 'act', act)],
      [`acts?id=${act}`],
      ['acts', of('acts', 'act', 'waiting')],
      [`trace?owner=${owner_id}&cursor=${cursor}`, { what: 'open_case', owner_id }],
      [`trace?kind=event&id=${event}`, { ...of('open_case', 'event', event), owner_id: null }],
      [`trace?kind=customer&id=${customer}`, { ...of('open_case', 'customer', customer), owner_id: null }],
      [`search?q=${owner_id}`, { what: 'search', owner_id, detail: 'user: 1 found' }],
      ['search?q=ada.secret@tidemark.test', { what: 'search', owner_id: null }],
      ['statement', { what: 'statement' }],
      ['statement/export', { what: 'export_statement' }],
    ]
    const headers = { authorization: `Bearer ${kim.token}` }
    for (const [path] of looks)
      expect((await fetch(`${server.url}/api/support/${path}`, { headers })).status, path).toBe(200)
    await server.ask(requestReconciliation, { token: kim.token, body: {} })
    const lines = await listAudit(database.owner, { actor: kim.user_id }, { limit: 20 })
    const expected = [...looks.flatMap(([, line]) => line ?? []), { what: 'reconcile' }]
    expect(lines.toReversed()).toMatchObject(expected)
    expect(JSON.stringify(lines)).not.toContain('ada.secret')
  })

  test('a person who has searched 500 times in a day is told to wait', async () => {
    const { token, user_id: actor } = await signUp(clerk, { role: 'support' })
    await recordLook(database.server, { actor, what: 'search', detail: null })
    await sql`INSERT INTO audit_log (actor, what, outcome)
      SELECT actor, what, outcome FROM audit_log, generate_series(1, 499) WHERE actor = ${actor}`.execute(
      database.owner,
    )
    expect(await server.api(searchSupport, { token, query: { q: 'x@tidemark.test' } })).toMatchObject({
      status: 429,
    })
  })
})
