import { randomUUID } from 'node:crypto'
import { getSessionStatus, processPaymentSuccess, purchaseCredits } from '../../schema/api/checkout.ts'
import { createOrganizationSubscription, topUpOrganizationCredits } from '../../schema/api/organizations.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { initializeUser } from '../../schema/api/users.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { failingCard } from '../simulation/owner-at-stripe.ts'
import type { Random } from '../support/random.ts'
import type { Answer } from './client.ts'
import { atStripe, type Customer, pause, turnKnob, type World } from './customer.ts'

type Manner = 'pays' | 'is_declined_first' | 'debit_comes' | 'debit_fails' | 'leaves'

export async function buyCredits(world: World, customer: Customer, random: Random): Promise<void> {
  if (customer.kind === 'team' && !customer.organization_id) return
  const credits = random.int(71, 5000)
  const answer = await openOnce(world, customer, random.chance(0.15), (headers) =>
    openPurchase(world, customer, { credits, headers }),
  )
  const id = sessionOf(answer)
  if (!id) return
  customer.sessions.push({ id, buys: 'credits', credits })
  const manner = random.weighted<Manner>([
    [70, 'pays'],
    [8, 'is_declined_first'],
    [8, 'debit_comes'],
    [4, 'debit_fails'],
    [10, 'leaves'],
  ])
  await onPaymentPage(world, customer, { id, manner, random })
}

export async function subscribe(world: World, customer: Customer, random: Random): Promise<void> {
  if (customer.kind === 'team' && !customer.organization_id && customer.paid.size > 0)
    return awaitTeam(world, customer)
  if (!(await isWithoutPlan(world, customer))) return
  const seats = customer.kind === 'team' ? random.int(2, 6) : 1
  const frequency = random.chance(0.3) ? 'yearly' : 'monthly'
  const answer = await openOnce(world, customer, random.chance(0.15), (headers) =>
    openPlan(world, customer, { seats, frequency, headers }),
  )
  const id = sessionOf(answer)
  if (!id) return
  if (!customer.sessions.some((session) => session.id === id))
    customer.sessions.push({ id, buys: 'plan', credits: 0 })
  const manner = random.weighted<Manner>([
    [84, 'pays'],
    [6, 'is_declined_first'],
    [10, 'leaves'],
  ])
  const card = random.chance(0.12) ? failingCard : undefined
  await onPaymentPage(world, customer, { id, manner, random, ...(card && { card }) })
  if (customer.kind === 'team') await awaitTeam(world, customer)
}

/** Until a server follows the clock's move, it would count the first click to an earlier day. */
const clockFollowedWithinMs = 10_000

/** A second click, or a reload, opens no second page: the same key gets the same one, for a day. */
async function openOnce(
  { system }: World,
  { complaints, person }: Customer,
  isDoubled: boolean,
  open: (headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() }
  if (!isDoubled) return open(headers)
  const began = await system.now()
  const beganMs = Date.now()
  const [first, second] = await Promise.all([open(headers), open(headers)])
  const hasJustMoved = system.clockMoves.some((at) => at > beganMs - clockFollowedWithinMs)
  const isSameDay = !hasJustMoved && (await system.now()).getTime() - began.getTime() < 86_000_000
  const pages = [sessionOf(first), sessionOf(second)]
  if (isSameDay && first.status === 200 && second.status === 200 && pages[0] !== pages[1])
    complaints.push(`${person.user_id}: one key opened ${pages.join(' and ')}`)
  return first.status === 200 ? first : second
}

function openPurchase(
  { client }: World,
  { person, organization_id }: Customer,
  { credits, headers }: { credits: number; headers: Record<string, string> },
): Promise<Answer> {
  const { token, user_id } = person
  if (organization_id) {
    const body = { org_id: organization_id, credits_amount: credits }
    return client.call(topUpOrganizationCredits, { token, headers, body })
  }
  const amount = creditsCostMinor(credits) / 100
  const body = { clerkUserId: user_id, credits, amount, currency: 'EUR' }
  return client.call(purchaseCredits, { token, headers, body })
}

function openPlan(
  { client }: World,
  { kind, person, organization_id }: Customer,
  plan: { seats: number; frequency: 'monthly' | 'yearly'; headers: Record<string, string> },
): Promise<Answer> {
  const { token, user_id } = person
  const { seats, frequency, headers } = plan
  if (organization_id) {
    const body = { clerk_org_id: organization_id, seats_total: seats }
    return client.call(createOrganizationSubscription, { token, headers, body })
  }
  const planType = kind === 'team' ? 'teams' : 'pro'
  const body = { planType, billingFrequency: frequency, currency: 'EUR', seats, clerkUserId: user_id }
  return client.call(createCheckoutSession, { token, headers, body })
}

function sessionOf({ status, body }: Answer): string | null {
  return status === 200 ? (body as { sessionId: string }).sessionId : null
}

async function onPaymentPage(
  world: World,
  customer: Customer,
  buyer: { id: string; manner: Manner; random: Random; card?: string },
): Promise<void> {
  const { id, manner, random, card } = buyer
  await pause(random, 300)
  if (manner === 'leaves') return
  if (manner === 'is_declined_first')
    await turnKnob(world, `sessions/${id}/pay`, { card: '4000000000000002' })
  if (manner === 'debit_comes' || manner === 'debit_fails') {
    const debit = await turnKnob<Paid>(world, `sessions/${id}/pay`, { method: 'delayed' })
    if (debit?.outcome !== 'processing') return
    await pause(random, 1500)
    const outcome = manner === 'debit_comes' ? 'succeeded' : 'failed'
    if ((await turnKnob(world, `sessions/${id}/settle`, { outcome })) && outcome === 'succeeded')
      customer.paid.add(id)
  } else {
    const paid = await turnKnob<Paid>(world, `sessions/${id}/pay`, card ? { card } : {})
    if (paid?.outcome !== 'paid') return
    customer.paid.add(id)
  }
  await rememberCustomer(world, customer, id)
  if (random.chance(0.6)) await comeBack(world, customer, id)
}

interface Paid {
  readonly outcome: 'paid' | 'processing' | 'declined' | 'already_complete' | 'expired'
}

/** The return page asks once for settlement, and then for the status. */
async function comeBack({ client }: World, { person }: Customer, sessionId: string): Promise<void> {
  const { token, user_id } = person
  await client.call(processPaymentSuccess, { token, body: { sessionId, clerkUserId: user_id } })
  await client.call(getSessionStatus, { token, query: { session_id: sessionId } })
}

async function rememberCustomer(world: World, customer: Customer, sessionId: string): Promise<void> {
  const session = await atStripe(world, (stripe) => stripe.checkout.sessions.retrieve(sessionId))
  if (session?.customer) customer.customers.add(String(session.customer))
}

/** The organization of a Teams plan is made when the plan has been settled. */
async function awaitTeam(world: World, customer: Customer): Promise<void> {
  const { token, user_id, email } = customer.person
  const clerkUser = { id: user_id, emailAddresses: [{ emailAddress: email }] }
  for (let tries = 0; tries < 30 && !customer.organization_id && !world.isClosing(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { subscribed } = await world.client.ask(initializeUser, {
      token,
      body: { clerkUser, planType: 'starter' },
    })
    customer.organization_id = subscribed.team_organization_id
  }
}

async function isWithoutPlan(world: World, { sessions }: Customer): Promise<boolean> {
  for (const { id } of sessions.filter(({ buys }) => buys === 'plan')) {
    const session = await atStripe(world, (stripe) =>
      stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] }),
    )
    const subscription = session?.subscription
    if (subscription && typeof subscription === 'object' && subscription.ended_at === null) return false
  }
  return true
}
