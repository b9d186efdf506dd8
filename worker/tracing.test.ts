import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { findBalance } from '../schema/ledger/read/balances.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { describeLong } from '../tests/support/describe-long.ts'
import { eventOf, sessionOf } from '../tests/support/factories/events.ts'
import { buildPaidCredits } from '../tests/support/factories/paid-purchases.ts'
import { madeOnce } from '../tests/support/made.ts'
import {
  type ProductProcess,
  startProductProcess,
  webhookSecret,
} from '../tests/support/product/product-process.ts'
import { startStripe } from '../tests/support/services/stripe.ts'
import { waitUntil } from '../tests/support/wait-until.ts'

const valueSchema = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  arrayValue: z.object({ values: z.array(z.looseObject({})) }).optional(),
})
const attributesSchema = z.array(z.object({ key: z.string(), value: valueSchema }))
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: attributesSchema.default([]),
})
/** OTLP's JSON, as much of it as is looked at. */
const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
})
type Span = z.infer<typeof spanSchema> & { readonly service: string | undefined }

const database = testDatabase()
const stripe = madeOnce(startStripe, (made) => made.stop())
const running: ProductProcess[] = []
afterEach(async () => {
  for (const started of running.splice(0)) await started.kill()
})

/** A collector as OpenTelemetry has it: takes spans over OTLP/HTTP, and says that it has them. */
const collector = madeOnce(
  async () => {
    const spans: Span[] = []
    const bodies: string[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString()
      bodies.push(`${request.method} ${request.url} ${body}`)
      for (const { resource, scopeSpans } of exportSchema.parse(JSON.parse(body)).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue
        spans.push(...scopeSpans.flatMap((scope) => scope.spans).map((span) => ({ ...span, service })))
      }
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { spans, bodies, url, close: () => new Promise((resolve) => server.close(resolve)) }
  },
  (made) => made.close().then(() => undefined),
)

/** Four processes are started. */
const patienceMs = 120_000

/**
 * A paid checkout's event, delivered to a server and applied by a worker, both with these variables, and both
 * stopped afterwards.
 */
async function buyWith(env: Record<string, string>) {
  // On a slow machine the claim would come before the webhook's own job, and begin a trace of its own.
  const urls = { databaseUrl: database.url, stripeUrl: stripe.url }
  const options = { ...urls, env: { ...env, CLAIM_AFTER_MS: '600000' } }
  const start = async (room: 'server' | 'worker') => {
    const started = await startProductProcess(room, options)
    running.push(started)
    return started
  }
  const [server, worker] = await Promise.all([start('server'), start('worker')])
  const { intent_id, session_id, user_id } = await buildPaidCredits({ database, stripe })
  const event = eventOf('checkout.session.completed', sessionOf(intent_id, { id: session_id }))
  const payload = JSON.stringify(event)
  const response = await fetch(`http://127.0.0.1:${server.ready.port}/api/stripe/webhook`, {
    method: 'POST',
    headers: {
      'x-request-id': `request-${intent_id}`,
      'stripe-signature': new Stripe('sk_test_none').webhooks.generateTestHeaderString({
        payload,
        secret: webhookSecret,
      }),
    },
    body: payload,
  })
  expect(response.status).toBe(200)
  await waitUntil(
    async () =>
      (await findBalance(database.owner, user_id)).total === 500 &&
      worker.lines.some((line) => line.includes('Event processed')),
    'the credits to be there',
    60_000,
  )
  for (const process of [server, worker]) process.terminate()
  expect(await Promise.all([server.ended, worker.ended])).toEqual([0, 0])
  const linesAbout = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line)).filter(({ event_id }) => event_id === event.id)
  return { event, intent_id, lines: { server: linesAbout(server.lines), worker: linesAbout(worker.lines) } }
}

test(
  'where a collector is configured, one trace leads from the webhook to the ledger, and the lines of both logs carry its id',
  async () => {
    const { event, intent_id, lines } = await buyWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    expect(collector.bodies.every((body) => body.startsWith('POST /v1/traces '))).toBe(true)

    const webhook = collector.spans.find(({ name }) => name === 'POST /api/stripe/webhook')
    const trace = collector.spans.filter(({ traceId }) => traceId === webhook?.traceId)
    const post = trace.find(({ name }) => name === 'ledger post')
    expect(pathOf(post, trace)).toEqual([
      'tidemark-server POST /api/stripe/webhook',
      'tidemark-worker job stripe-events',
      'tidemark-worker transaction',
      'tidemark-worker ledger post',
    ])
    expect(valuesOf(webhook)).toMatchObject({
      'tidemark.event_id': event.id,
      'tidemark.request_id': `request-${intent_id}`,
    })
    expect(JSON.stringify(post?.attributes)).toContain(intent_id)
    expect(JSON.stringify(post?.attributes)).toContain(event.id)
    for (const line of [lines.server.at(-1), lines.worker.at(-1)]) {
      expect(line).toMatchObject({ trace_id: webhook?.traceId, request_id: `request-${intent_id}` })
    }
    expect(lines.worker.at(-1)).toMatchObject({ msg: 'Event processed', intent_id })
    // Nothing of a person and no payload.
    expect(collector.bodies.join()).not.toMatch(/@|payment_status/)
  },
  patienceMs,
)

// Every other process of a test starts without one; what its lines carry then is seen in the long run only.
describeLong('where none is', () => {
  test(
    'the lines of both logs carry the id of the request all the same, and no trace',
    async () => {
      const before = collector.bodies.length
      const { intent_id, lines } = await buyWith({})
      for (const line of [lines.server.at(-1), lines.worker.at(-1)]) {
        expect(line).toMatchObject({ request_id: `request-${intent_id}` })
        expect(line).not.toHaveProperty('trace_id')
      }
      expect(collector.bodies.length).toBe(before)
    },
    patienceMs,
  )
})

function pathOf(span: Span | undefined, trace: readonly Span[]): string[] {
  if (!span) return []
  const parent = trace.find(({ spanId }) => spanId === span.parentSpanId)
  return [...pathOf(parent, trace), `${span.service} ${span.name}`]
}

function valuesOf(span: Span | undefined): Record<string, unknown> {
  return Object.fromEntries(
    span?.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]) ?? [],
  )
}
