import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { cpus, loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Stripe from 'stripe'
import { Agent } from 'undici'
import { type Part, pool, startParts, tokenOf, walletId, wallets, webhookSecret } from './parts.ts'

/** Measures for about so many seconds: a figure for each of the row's lines. */
type Side = (seconds: number) => Promise<readonly number[]>
/** As many connections as keep a server of one process busy. */
const [connections, purchasesPerSecond] = [32, 50]

/**
 * `npm run bench`: measures the product beside the least that this machine can do for the same work. It
 * asserts nothing. `npm run bench -- usage holds` measures these rows only; see docs/performance.md.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '5' }, seconds: { type: 'string', default: '2' } },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
await using running = new AsyncDisposableStack()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void running.disposeAsync().finally(() => process.exit(130)))
}
const sessions = new Map<string, object>()
const { product, floor } = await startParts(running, sessions)
const agent = running.adopt(new Agent({ connections, pipelining: 1 }), (open) => open.destroy())

const spending = (payer: string) => ({ credits: 1, idempotency_key: randomUUID(), payer })
const use = (part: Part, payer: string) =>
  rate((index) => call(part, '/usage', { index, body: spending(payer) }))
const rows: Readonly<Record<string, { lines: readonly string[]; of: (part: Part) => Side }>> = {
  purchase: { lines: ['from webhook to balance, p50, ms', 'p99, ms'], of: waits },
  balance: { lines: ['balances, calls/s'], of: (part) => rate((index) => call(part, '/balance', { index })) },
  usage: { lines: ['usage of 1,000 owners, calls/s'], of: (part) => use(part, 'personal') },
  pool: { lines: ['usage of one pool, calls/s'], of: (part) => use(part, pool) },
  holds: {
    lines: ['reserve and settle, pairs of calls/s'],
    of: (part) =>
      rate(async (index) => {
        const { hold } = await call(part, '/holds', { index, body: spending('personal') })
        await call(part, `/holds/${hold.id}/settle`, { index, body: { credits: 1 } })
      }),
  },
}

say(`${cpus().length} cores (${cpus()[0]?.model}), load before: ${loadavg()[0]}\n`)
say('| row | what | product | floor | ratio | spread |\n| --- | --- | --- | --- | --- | --- |')
for (const name of positionals.length > 0 ? positionals : Object.keys(rows)) await measure(name)
say(`\n${values.pairs} pairs of ${values.seconds} s; load after: ${loadavg()[0]}`)

/**
 * Both sides measure in turns, each pair begun by the other one: what slows the machine down for a while slows
 * down both, and neither always follows the other's vacuums and writes. A first turn of each does not count.
 */
async function measure(name: string): Promise<void> {
  const row = rows[name]
  if (!row) throw new Error(`There is no row ${name}: ${Object.keys(rows).join(', ')}`)
  const seconds = Number(values.seconds)
  const sides = { product: row.of(product), floor: row.of(floor) }
  const figures = { product: [] as (readonly number[])[], floor: [] as (readonly number[])[] }
  for (const side of ['product', 'floor'] as const) await sides[side](seconds)
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const order = pair % 2 === 0 ? (['product', 'floor'] as const) : (['floor', 'product'] as const)
    for (const side of order) figures[side].push(await sides[side](seconds))
  }
  for (const [line, what] of row.lines.entries()) {
    const measured = figures.product.map((turn) => turn[line] ?? Number.NaN)
    const least = figures.floor.map((turn) => turn[line] ?? Number.NaN)
    const ratios = measured.map((figure, pair) => figure / (least[pair] ?? Number.NaN))
    const medians = [measured, least].map((all) => Number(percentile(all, 0.5).toPrecision(3)))
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    say(`| ${name} | ${what} | ${medians.join(' | ')} | ${percentile(ratios, 0.5).toFixed(2)} | ${spread} |`)
  }
}

/** How often a second a call is made that as many callers as connections repeat, each after its last. */
function rate(once: (index: number) => Promise<unknown>): Side {
  let index = 0
  return async (seconds) => {
    const started = performance.now()
    let calls = 0
    const repeat = async () => {
      for (; performance.now() < started + seconds * 1000; calls++) await once(index++ % wallets)
    }
    await Promise.all(Array.from({ length: connections }, repeat))
    return [calls / ((performance.now() - started) / 1000)]
  }
}

/**
 * Webhooks of paid purchases at a steady rate, whether or not those before have been answered: p50 and p99 of
 * the time from sending one until what it brought is committed, by the time that Postgres keeps of a commit.
 */
function waits(part: Part): Side {
  return async (seconds) => {
    // The slowest hundredth is more than one of them.
    const webhooks = await makeWebhooks(part, Math.ceil(Math.max(4, seconds) * purchasesPerSecond))
    const started = performance.now()
    const sent = new Map<string, number>()
    const answers: Promise<unknown>[] = []
    for (const [index, { id, ...request }] of webhooks.entries()) {
      await delay(Math.max(0, started + (index * 1000) / purchasesPerSecond - performance.now()))
      sent.set(id, Date.now())
      answers.push(send({ origin: part.url, method: 'POST', path: '/api/stripe/webhook', ...request }))
    }
    await Promise.all(answers)
    const committed = await waitForCommits(part, [...sent.keys()])
    const waited = [...sent].map(([id, at]) => (committed.get(id) ?? Number.NaN) - at)
    return [percentile(waited, 0.5), percentile(waited, 0.99)]
  }
}

/** Each of a purchase of its own; the product has its intents, as they are before they can be paid. */
async function makeWebhooks(part: Part, count: number) {
  const created = Math.floor(Date.now() / 1000)
  const paid = Array.from({ length: count }, (_, index) => {
    const intentId = randomUUIDv7()
    const name = randomUUID().replaceAll('-', '')
    const owner = walletId(index % wallets)
    const session = {
      id: `cs_test_${name}`,
      object: 'checkout.session',
      amount_total: 700,
      client_reference_id: intentId,
      created,
      currency: 'eur',
      customer: `cus_${owner}`,
      invoice: null,
      livemode: false,
      metadata: { intentId, credits: '500' },
      mode: 'payment',
      payment_intent: `pi_${name}`,
      payment_status: 'paid',
      status: 'complete',
      subscription: null,
      total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 112 },
    }
    sessions.set(session.id, session)
    const event = { object: 'event', created, data: { object: session }, livemode: false }
    const id = `evt_${name}`
    const payload = JSON.stringify({ ...event, id, type: 'checkout.session.completed' })
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    return { intentId, owner, session, webhook: { id, headers, body: payload } }
  })
  if (part === product) {
    await part.database.pool.query(
      `INSERT INTO checkout_intents (id, offer_id, quantity, user_id, owner_id, state, stripe_session_id, next_try_at)
       SELECT id, (SELECT id FROM offers WHERE plan_type IS NULL AND currency = 'EUR'), 500, owner, owner, 'open', session, now() + interval '1 day'
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS purchase (id, session, owner)`,
      [paid.map((one) => one.intentId), paid.map((one) => one.session.id), paid.map((one) => one.owner)],
    )
  }
  return paid.map(({ webhook }) => webhook)
}

async function waitForCommits(part: Part, ids: readonly string[]): Promise<Map<string, number>> {
  const table = part === product ? 'ledger_transfers' : 'floor.settled'
  for (let asked = 0; asked < 300; asked++) {
    const { rows: settled } = await part.database.pool.query<{ event_id: string; ms: number }>(
      `SELECT event_id, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS ms
       FROM ${table} WHERE event_id = ANY($1)`,
      [ids],
    )
    if (settled.length >= ids.length) return new Map(settled.map(({ event_id, ms }) => [event_id, ms]))
    await delay(100)
  }
  throw new Error('Events were not settled in half a minute')
}

/** As the editor of a wallet's user. */
async function call(part: Part, path: string, { index, body }: { index: number; body?: object }) {
  const headers = { authorization: `Bearer ${tokenOf(index)}`, 'content-type': 'application/json' }
  const method = body ? 'POST' : 'GET'
  const asked = { origin: part.url, method, path: `/api/extension${path}`, headers } as const
  return JSON.parse(await send({ ...asked, body: JSON.stringify(body) ?? null }))
}

/** A server that refuses is fast, so it throws. */
async function send(request: Parameters<Agent['request']>[0]): Promise<string> {
  const { statusCode, body } = await agent.request(request)
  const answer = await body.text()
  if (statusCode !== 200) throw new Error(`${request.path}: ${statusCode} ${answer}`)
  return answer
}

/** The lowest figure that is not below `share` of them. */
function percentile(figures: readonly number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.ceil(share * figures.length) - 1] ?? Number.NaN
}
