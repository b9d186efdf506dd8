import { Queue } from 'bullmq'
import Koa from 'koa'
import getRawBody from 'raw-body'
import Stripe from 'stripe'
import { jobOptionsOf } from '../../../schema/queues/queues.ts'
import { connectFloor } from './connect.ts'
import { floorStatements } from './tables.ts'

/**
 * The least that a server can do for the calls that are measured, with the same libraries: one route each,
 * the same check of the signature, one statement, and for a webhook one job. No log, no limits, no metrics,
 * and every caller is believed.
 */
const { env, pool, backend, onError } = connectFloor({ role: 'tidemark_server', poolMax: 4 })
const queue = new Queue(
  'stripe-events',
  { connection: backend.connection, defaultJobOptions: jobOptionsOf('stripe-events') },
  backend.factory,
)
queue.on('error', onError)
const stripe = new Stripe(env.STRIPE_SECRET_KEY)

const app = new Koa()
app.use(async (ctx) => {
  switch (ctx.path) {
    case '/api/stripe/webhook': {
      const { raw, event } = await readSigned(ctx)
      await pool.query({ ...floorStatements.insertEvent, values: [event.id, raw.toString()] })
      await queue.add('stripe-events', { event_id: event.id }, { jobId: event.id })
      ctx.body = { received: true }
      break
    }
    case '/api/extension/balance': {
      const { rows } = await pool.query({ ...floorStatements.findBalance, values: [ctx.get('x-wallet')] })
      ctx.body = { balance: rows[0]?.balance }
      break
    }
    case '/api/extension/usage': {
      const { credits } = JSON.parse((await getRawBody(ctx.req)).toString()) as { credits: number }
      const { rows } = await pool.query({ ...floorStatements.spend, values: [ctx.get('x-wallet'), credits] })
      ctx.body = { balance: rows[0]?.balance }
      break
    }
  }
})
app.listen(env.PORT, '127.0.0.1', () => process.stdout.write('Server is ready\n'))

async function readSigned(ctx: Koa.Context): Promise<{ raw: Buffer; event: Stripe.Event }> {
  const raw = await getRawBody(ctx.req)
  const signature = ctx.get('stripe-signature')
  return { raw, event: stripe.webhooks.constructEvent(raw, signature, env.STRIPE_WEBHOOK_SECRET) }
}
