import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Endpoint } from '../../schema/api/endpoint.ts'
import { generateExtensionToken, getExtensionBalance } from '../../schema/api/extension.ts'
import { releaseHold, reserveCredits, settleHold } from '../../schema/api/holds.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import type { ApiRequest } from '../support/product/test-server.ts'
import type { Random } from '../support/random.ts'
import { type Answer, isFinal, patience_ms } from './client.ts'
import type { Customer, Report, World } from './customer.ts'

/** Uses credits as an editor does: repeats what it asks with one key until it is answered. */
export async function use(world: World, customer: Customer, random: Random): Promise<void> {
  for (let requests = random.int(1, 4); requests > 0; requests--) {
    if (random.chance(0.5)) await hold(world, customer, random)
    else await report(world, customer, random)
  }
}

async function report(world: World, customer: Customer, random: Random): Promise<void> {
  const key = randomUUID()
  const payer = customer.organization_id ?? 'personal'
  const credits = random.chance(0.05) ? 10_000 : random.int(1, 80)
  const body = { credits, payer, idempotency_key: key }
  const answer = await send(world, customer, { endpoint: reportUsage, request: { body } }, random)
  const isCharged = answer.status === 200
  if (isCharged && (answer.body as { charged: number }).charged !== credits)
    customer.complaints.push(`usage ${key}: ${credits} credits reported, told ${JSON.stringify(answer.body)}`)
  const outcome: Report['outcome'] = isCharged ? 'charged' : 'refused'
  customer.reports.push({ key, payer: payer === 'personal' ? payer : 'organization', credits, outcome })
}

/** Reserves credits, and settles the hold, releases it, or forgets it until it expires. */
async function hold(world: World, customer: Customer, random: Random): Promise<void> {
  const payer = customer.organization_id ?? 'personal'
  const body = { credits: random.int(1, 80), at_least: 1, payer, idempotency_key: randomUUID() }
  const reserved = await send(world, customer, { endpoint: reserveCredits, request: { body } }, random)
  if (reserved.status !== 200) return
  const { id, credits } = (reserved.body as { hold: { id: string; credits: number } }).hold
  const reservation = { id, payer: payer === 'personal' ? payer : 'organization', charged: null } as const
  const cost = random.int(0, credits + 20)
  const end = random.weighted([
    [6, { endpoint: settleHold, request: { params: { id }, body: { credits: cost } } }],
    [1, { endpoint: releaseHold, request: { params: { id } } }],
    [3, null],
  ])
  if (!end) return void customer.reservations.push(reservation)
  const { status, body: told } = await send(world, customer, end, random)
  const { charged = null, uncollected = 0 } = told as { charged?: number; uncollected?: number }
  customer.reservations.push({ ...reservation, charged })
  // The clock may have been moved beyond what a hold lasts.
  const isRight = status === 409 || (status === 200 && (charged === null || charged + uncollected === cost))
  if (!isRight) customer.complaints.push(`hold ${id}: cost ${cost}, told ${status} ${JSON.stringify(told)}`)
}

interface Asked {
  readonly endpoint: Endpoint
  readonly request: ApiRequest<unknown>
}

async function send(
  world: World,
  customer: Customer,
  { endpoint, request }: Asked,
  random: Random,
): Promise<Answer> {
  const deadline = Date.now() + patience_ms
  for (let tries = 0; Date.now() < deadline; tries++) {
    const asked = { ...request, token: await accessToken(world, customer) }
    const isAborted = tries === 0 && random.chance(0.3)
    const signal = isAborted ? AbortSignal.timeout(random.int(1, 25)) : undefined
    const sent = [world.client.attempt(endpoint, asked, signal)]
    if (random.chance(0.1)) sent.push(world.client.attempt(endpoint, asked))
    const answers = (await Promise.all(sent)).filter((answer) => answer !== null && isFinal(answer))
    const answer = answers.find((found) => found?.status === 200) ?? answers[0]
    if (answer?.status === 401) customer.access_token = null
    else if (answer) return answer
    await delay(Math.min(100 * 2 ** tries, 1500))
  }
  throw new Error(`${endpoint.path} had no answer for ${patience_ms / 1000} s`)
}

async function accessToken({ client }: World, customer: Customer): Promise<string> {
  customer.access_token ??= (
    await client.ask(generateExtensionToken, { token: customer.person.token })
  ).access_token
  return customer.access_token
}

/** What an editor shows: it never goes back to an older state, and is no debt unless money went back. */
export async function readBalance(world: World, customer: Customer): Promise<void> {
  const payer = customer.organization_id ?? 'personal'
  const { person } = customer
  const mayBeDebt = customer.clawbacks > 0
  const token = await accessToken(world, customer)
  const { status, body } = await world.client.call(getExtensionBalance, { token, query: { payer } })
  if (status === 401) customer.access_token = null
  if (status !== 200) return
  const { version, plan, purchased } = body as { version: number; plan: number; purchased: number }
  const before = customer.versions.get(payer) ?? 0
  customer.versions.set(payer, version)
  if (version < before)
    customer.complaints.push(
      `the balance of ${person.user_id} (${payer}) went from version ${before} to ${version}`,
    )
  if (plan + purchased < 0 && !mayBeDebt)
    customer.complaints.push(
      `the balance of ${person.user_id} (${payer}) is ${plan} + ${purchased}, and no money went back`,
    )
}
