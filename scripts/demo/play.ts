import { setTimeout as delay } from 'node:timers/promises'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { createStripe } from '../../schema/vendors/stripe/client.ts'
import {
  type Ask,
  type Caller,
  callerOf,
  connectEditor,
  openBrowser,
  type Person,
  signIn,
  signUp,
} from './caller.ts'

/** How long ago the demo begins. */
export const demoDays = 92
const patience_ms = 60_000

export interface DemoPlaces {
  readonly url: string
  readonly stripeSandboxUrl: string
  readonly clerkSandboxUrl: string
  /** With it usage is reported, as a gateway does. */
  readonly operatorKey: string | undefined
  readonly signal: AbortSignal
}

interface Named extends Person {
  readonly first_name: string
  readonly last_name: string
}

/** A signed-in person and their browser. */
interface Player extends Caller, Named {
  readonly ask: Ask
}

/** What a day's work is: how much of which model for which project. */
type DaysWork = (day: number) => Promise<unknown>

const organization = 'org_2sandboxDemo0000000000000000'
const dayMs = 86_400_000

/**
 * Brings the people of the demo into their states, from three months ago until now: by the calls of the pages
 * and of editors, by the knobs of the stand-ins, and by what a merchant does at Stripe. The shared clock
 * begins in the past, and is the real time when this ends, also when it fails.
 */
export async function playDemo(places: DemoPlaces): Promise<void> {
  const stage = openStage(places)
  try {
    await play(stage)
  } finally {
    if (!places.signal.aborted) await stage.stripe('clock/advance', { to: 'real_time' })
  }
  // By the real time: it finds the payment that was not applied.
  const support = await stage.enter(named('Sam', 'Support'))
  await support.call('/api/support/reconciliation/runs', {})
}

type Stage = ReturnType<typeof openStage>

async function play(stage: Stage): Promise<void> {
  const dana = await stage.enter(named('Dana', 'Demo'))
  const plan = await pay(stage, dana, '/api/stripe/create-checkout-session', {
    clerkUserId: dana.userId,
    planType: 'pro',
    seats: 1,
  })
  const editors = [
    await connectEditor(dana.ask, dana, editorOf('vscode', 'Visual Studio Code at the office')),
    await connectEditor(dana.ask, dana, editorOf('cursor', 'Cursor on the laptop')),
  ]
  const danaWorks: DaysWork = (day) =>
    Promise.all(
      worksOf(day).map(({ credits, ...work }, index) =>
        dana.spend(credits, { ...work, token: editors[(day + index) % 2] ?? '' }),
      ),
    )
  const [editor = ''] = editors
  stage.dayBegins(() => canSpend(dana, editor, 'personal'))
  await stage.until(30, danaWorks)
  await buyCredits(stage, dana, 1500)
  const mistaken = await buyCredits(stage, dana, 500)
  await stage.until(33, danaWorks)
  await refund(stage, mistaken)

  await stage.until(38, danaWorks)
  await pay(stage, dana, '/api/organizations/create-subscription', {
    clerk_org_id: organization,
    seats_total: 5,
  })
  const guests = [named('Cleo', 'Colleague'), named('Mika'), named('Noor'), named('Finn')]
  const team = await Promise.all(guests.map((guest) => joinTeam(stage, dana, guest)))
  stage.dayBegins(() => canSpend(dana, editor, organization))
  const allWork: DaysWork = (day) =>
    Promise.all([danaWorks(day), ...team.map((colleague, index) => worksInTeam(colleague, day + index))])

  // After the trial of 14 days and a month the card does not pay; some days later another one does.
  const { subscription } = await stage.merchant.checkout.sessions.retrieve(plan)
  await stage.until(40, allWork)
  await stage.stripe(`subscriptions/${subscription}/card`, { card: '4000000000000341' })
  await stage.until(46, allWork)
  await stage.stripe(`subscriptions/${subscription}/card`, { card: '4242424242424242' })
  await stage.stripe(`subscriptions/${subscription}/retry`)

  await stage.until(60, allWork)
  const nils = await stage.arrive(named('Nils'))
  await buyCredits(stage, nils, 500)
  await stage.until(70, allWork)
  const leaving = team.pop()
  await dana.call('/api/organizations/seats/revoke', { org_id: organization, user_id: leaving?.userId })
  await stage.until(80, allWork)
  await stage.arrive(named('Stan', 'Starter'))
  await stage.until(87, allWork)
  await dana.call('/api/team-invitations', { org_id: organization, email: 'petra@tidemark.test' })
  await payInVain(stage, nils)
  await stage.until(89, allWork)
  await missNews(stage, nils)
  await stage.until(demoDays, allWork)
}

const editorOf = (scheme: string, editor_name: string) => ({
  redirect_uri: `${scheme}://tidemark.tidemark/auth-complete`,
  editor_name,
})

/** Addresses and passwords are of one form; those whom the stand-in of Clerk names are among them. */
function named(first_name: string, last_name?: string): Named {
  const name = (last_name ?? first_name).toLowerCase()
  return {
    email: `${name}@tidemark.test`,
    password: `tidemark-${name}-1`,
    first_name,
    last_name: last_name ?? 'Example',
  }
}

/** Figures that look like chance and are the same each time. */
const between = (least: number, most: number, seed: number) =>
  least + ((seed * 7919 + (seed % 13) * 104_729) % (most - least + 1))

function worksOf(day: number) {
  const projects = ['harbour-web', 'billing-service']
  const project = (nth: number) => projects[between(0, 1, day + nth)] ?? ''
  return [
    { credits: between(8, 15, day), model: 'large', project: project(1), description: 'Refactoring' },
    { credits: between(3, 7, day + 1), model: 'medium', project: project(2), description: 'Chat' },
    { credits: between(1, 2, day + 2), model: 'small', project: project(3), description: 'Completions' },
  ]
}

function worksInTeam(colleague: Player, day: number): Promise<void> {
  const model = ['large', 'medium', 'small'][day % 3] ?? ''
  const project = between(0, 2, day) === 0 ? 'billing-service' : 'harbour-web'
  return colleague.spend(between(12, 30, day), { payer: organization, model, project, description: 'Chat' })
}

/** The time of the server, once the credits of a renewal are there that came with it; before, none. */
async function canSpend({ ask }: Player, token: string, payer: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const path = `/api/extension/balance?payer=${payer}`
  const { available, as_of } = await ask<{ available: number; as_of: string }>(path, { headers })
  return available > 120 ? Date.parse(as_of) : 0
}

/** Orders and pays by card; returns the session when its credits are there. */
async function pay(stage: Stage, payer: Player, path: string, order: object): Promise<string> {
  const { sessionId } = await payer.call<{ sessionId: string }>(path, order)
  const name = `${payer.first_name} ${payer.last_name}`
  await stage.stripe(`sessions/${sessionId}/pay`, { email: payer.email, name })
  await stage.see(`the payment ${sessionId}`, async () => {
    const { data } = await payer.call<{ data: { fulfilment: { state: string } } }>(
      `/api/stripe/session-status?session_id=${sessionId}`,
    )
    return data.fulfilment.state === 'applied'
  })
  return sessionId
}

const creditOrder = ({ userId }: Player, credits: number) => ({
  clerkUserId: userId,
  credits,
  amount: creditsCostMinor(credits) / 100,
  currency: 'EUR',
})

function buyCredits(stage: Stage, payer: Player, credits: number): Promise<string> {
  return pay(stage, payer, '/api/billing/credit-purchase', creditOrder(payer, credits))
}

/** As a merchant does in Stripe's dashboard. */
async function refund({ merchant }: Stage, session: string): Promise<void> {
  const { payment_intent } = await merchant.checkout.sessions.retrieve(session)
  await merchant.refunds.create({ payment_intent: String(payment_intent) })
}

/** Invites a colleague, who signs up by the link of the mail and so takes the seat. */
async function joinTeam(stage: Stage, admin: Player, guest: Named): Promise<Player> {
  const { email } = guest
  await admin.call('/api/team-invitations', { org_id: organization, email })
  const { data } = await stage.clerk<{ data: { url: string }[] }>(`mails?to=${email}`)
  const ticket = new URL(data[0]?.url ?? '').searchParams.get('ticket') ?? ''
  const colleague = await stage.arrive(guest, ticket)
  await stage.see(`the seat of ${email}`, async () => {
    const { seats } = await admin.call<{ seats: { user_id: string | null; status: string }[] }>(
      `/api/organizations/seats?org_id=${organization}`,
    )
    return seats.some(({ user_id, status }) => user_id === colleague.userId && status === 'active')
  })
  return colleague
}

/**
 * A payment that is made and not applied: the event of it never comes, and what Stripe says when it is asked
 * lacks a field.
 */
async function payInVain(stage: Stage, payer: Player): Promise<void> {
  const { sessionId } = await payer.call<{ sessionId: string }>(
    '/api/billing/credit-purchase',
    creditOrder(payer, 500),
  )
  const path_prefix = `/v1/checkout/sessions/${sessionId}`
  await stage.stripe('deliveries', { mode: 'never', types: ['checkout.session.completed'] })
  await stage.stripe('faults', { without: ['payment_status'], count: 1, method: 'GET', path_prefix })
  await stage.stripe(`sessions/${sessionId}/pay`, { email: payer.email })
  const { data } = await stage.merchant.events.list({ type: 'checkout.session.completed', limit: 1 })
  await stage.stripe(`events/${data[0]?.id}/list`, { listed: false })
  await stage.stripe('deliveries', { mode: 'normal' })
  await payer.call('/api/stripe/process-payment-success', { sessionId, clerkUserId: payer.userId })
  await seeFailed(stage, 'intent')
}

/** Their name changes, and Clerk refuses to say to what. */
async function missNews(stage: Stage, { ask, userId }: Player): Promise<void> {
  const path_prefix = `/bapi/v1/users/${userId}`
  await stage.clerk('faults', { status: 422, method: 'GET', path_prefix })
  await ask('/__clerk/v1/me?_method=PATCH', { form: { last_name: 'Later' } })
  await seeFailed(stage, 'event')
}

async function seeFailed(stage: Stage, kind: string): Promise<void> {
  const support = await stage.enter(named('Sam', 'Support'))
  await stage.see(`the failed ${kind}`, async () => {
    const path = `/api/support/work?kind=${kind}&state=failed`
    return (await support.call<{ rows: object[] }>(path)).rows.length > 0
  })
}

/** The product, the stand-ins beside it, and their clock. */
function openStage({ url, stripeSandboxUrl, clerkSandboxUrl, operatorKey, signal }: DemoPlaces) {
  const knob =
    (sandboxUrl: string) =>
    async <T>(path: string, body?: object): Promise<T> => {
      const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await fetch(`${sandboxUrl}/_sandbox/${path}`, {
        method: body ? 'POST' : 'GET',
        ...json,
      })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as T
    }
  const stripe = knob(stripeSandboxUrl)
  const clerk = knob(clerkSandboxUrl)
  /** Asks until it is so. Throws when it takes too long, or on abort. */
  const see = async (what: string, check: () => Promise<boolean>): Promise<void> => {
    const deadline = Date.now() + patience_ms
    for (let pause_ms = 5; !(await check()); pause_ms = Math.min(pause_ms * 1.5, 100)) {
      if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`)
      await delay(pause_ms, undefined, { signal })
    }
  }
  let today = 0
  const times: (() => Promise<number>)[] = []

  async function enter(person: Named): Promise<Player> {
    const ask = openBrowser(url, signal)
    await signIn(ask, person)
    return { ...person, ...(await callerOf(ask, url, operatorKey)), ask }
  }

  return {
    stripe: (path: string, body: object = {}) => stripe(path, body),
    clerk,
    see,
    enter,
    /** Stripe, as its merchant sees it. */
    merchant: createStripe({ secretKey: 'sk_test_sandbox', apiBase: stripeSandboxUrl }),
    /** Signs a person up, with an account and the free plan. */
    async arrive(person: Named, ticket?: string): Promise<Player> {
      const { email, password, first_name, last_name } = person
      const ask = openBrowser(url, signal)
      await signUp(ask, { email, password, first_name, last_name, ...(ticket && { ticket }) })
      const caller = await callerOf(ask, url, operatorKey)
      const clerkUser = {
        id: caller.userId,
        emailAddresses: [{ emailAddress: email }],
        firstName: first_name,
        lastName: last_name,
      }
      await caller.call('/api/user/initialize', { clerkUser, planType: 'starter' })
      return { ...person, ...caller, ask }
    },
    /** A day has begun when all of these say so by their time. */
    dayBegins: (readTime: () => Promise<number>) => times.push(readTime),
    /** Lets the days pass up to the given one, with work on each that is no weekend. */
    async until(day: number, work: DaysWork): Promise<void> {
      for (let days = 1; today < day; days += 1) {
        signal.throwIfAborted()
        today += 1
        const isWeekend = [0, 6].includes(new Date(Date.now() - (demoDays - today) * dayMs).getUTCDay())
        if (isWeekend && today < day) continue
        const { now } = await stripe<{ now: number }>('clock/advance', { days })
        days = 0
        for (const readTime of times) await see(`day ${today}`, async () => (await readTime()) >= now * 1000)
        if (!isWeekend) await work(today)
      }
    },
  }
}
