import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import Koa from 'koa'
import pg from 'pg'
import getRawBody from 'raw-body'
import Stripe from 'stripe'
import { pool, webhookSecret } from './parts.ts'

/**
 * The least that a server (`floor.ts server`) and a worker can do for the calls that are measured, with the same
 * libraries: the same check of the signature, one prepared statement, and for a webhook one job that inserts a
 * row. No log, no limits, no metrics, and every caller is believed.
 */
const { DATABASE_URL, REDIS_URL, PORT } = process.env
const sql = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
const connection = new Redis(REDIS_URL ?? '', { maxRetriesPerRequest: null })

if (process.argv[2] === 'server') {
  const queue = new Queue('floor', { connection, defaultJobOptions: { removeOnComplete: true } })
  const app = new Koa()
  app.use(async (ctx) => {
    const raw = await getRawBody(ctx.req)
    const wallet = ctx.get('authorization')
    if (ctx.path === '/api/extension/balance') {
      ctx.body = await ask('SELECT balance FROM floor.wallets WHERE id = $1', [wallet])
    } else if (ctx.path.startsWith('/api/extension/')) {
      const { credits, payer } = JSON.parse(raw.toString())
      const text = 'UPDATE floor.wallets SET balance = balance - $2 WHERE id = $1 RETURNING balance'
      ctx.body = { ...(await ask(text, [payer === pool ? pool : wallet, credits])), hold: { id: 'one' } }
    } else if (ctx.path === '/api/stripe/webhook') {
      const event = Stripe.webhooks.constructEvent(raw, ctx.get('stripe-signature'), webhookSecret)
      await ask('INSERT INTO floor.inbox VALUES ($1, $2)', [event.id, raw.toString()])
      await queue.add('event', { event_id: event.id }, { jobId: event.id })
      ctx.body = { received: true }
    }
  })
  app.listen(Number(PORT), '127.0.0.1')
} else {
  const settle = async (event_id: string) =>
    void (await ask('INSERT INTO floor.settled (event_id) VALUES ($1)', [event_id]))
  new Worker('floor', ({ data }) => settle(data.event_id), { connection, concurrency: 50 })
}

/** Prepared, so that Postgres plans it once for each connection. */
async function ask(text: string, values: unknown[]): Promise<object> {
  const { rows } = await sql.query({ name: text.slice(0, 40), text, values })
  return rows[0] ?? {}
}
