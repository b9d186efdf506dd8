import Stripe from 'stripe'
import { onTestFinished } from 'vitest'
import { listenForWebhooks } from '../../kit/testing/receiver.ts'
import type { Settings } from '../settings.ts'
import { startStripeSandbox } from '../start.ts'

const webhookSecret = 'whsec_of_the_test'
const quick_retries_ms = Array.from({ length: 19 }, (_, index) => 10 * (index + 1))

type KnobAnswer = {
  outcome?: string
  deliveries?: { status: number; state: string; attempts: number; last_status: number }[]
}

/** A sandbox on a free port with the real SDK in front of it. Gone when the test is over. */
export async function startHarness(given: Partial<Settings> = {}) {
  const sandbox = await startStripeSandbox({
    port: 0,
    stateFile: null,
    webhookUrl: null,
    webhookSecret,
    delayedPaymentMs: null,
    retryDelaysMs: quick_retries_ms,
    ...given,
  })
  let is_open = true
  const close = async () => {
    if (is_open) await sandbox.close()
    is_open = false
  }
  onTestFinished(close)
  const stripe = new Stripe('sk_test_sandbox', {
    host: 'localhost',
    port: sandbox.port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })

  const knob = async (path: string, body: object = {}) => {
    const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as KnobAnswer }
  }

  const deliveries = async () => {
    const response = await fetch(`${sandbox.url}/_sandbox/deliveries`)
    return ((await response.json()) as KnobAnswer).deliveries
  }

  return {
    ...sandbox,
    deliveries,
    close,
    stripe,
    knob,
    pay: (session_id: string, body: object = {}) => knob(`sessions/${session_id}/pay`, body),
    /** What a browser sends when the buyer presses the button. */
    submit: (session_id: string, fields: Record<string, string>) =>
      fetch(`${sandbox.url}/c/pay/${session_id}`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
      }),
    eventTypes: async () => (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type).reverse(),
  }
}

export type Harness = Awaited<ReturnType<typeof startHarness>>

export const goodCard = {
  email: 'ada@example.com',
  method: 'card',
  number: '4242 4242 4242 4242',
  expiry: '12 / 34',
  cvc: '123',
  name: 'Ada Lovelace',
}

/** 500 credits for 7 euros, as a checkout session. */
export function newCheckout({ stripe }: Harness, given: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  return stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'eur', unit_amount: 700, product_data: { name: '500 credits' } },
      },
    ],
    success_url: 'http://shop.test/success?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://shop.test/cancelled',
    ...given,
  })
}

/** A checkout paid with a card, and the charge that it left. */
export async function paidCharge(card = '4242424242424242') {
  const harness = await startHarness()
  const { id } = await newCheckout(harness)
  await harness.pay(id, { card })
  const [charge] = (await harness.stripe.charges.list()).data
  if (!charge) throw new Error('The checkout left no charge.')
  return { harness, stripe: harness.stripe, charge }
}

type Received = { body: string; signature: string; event: Stripe.Event }

/** A webhook receiver that records deliveries, answers with the configured status, and can be waited for. */
export async function startReceiver() {
  const received: Received[] = []
  const answers: number[] = []
  const { url, until, close } = await listenForWebhooks(({ headers, body }) => {
    received.push({ body, signature: String(headers['stripe-signature']), event: JSON.parse(body) })
    return answers.shift() ?? 200
  })
  onTestFinished(() => void close())

  return {
    received,
    url,
    secret: webhookSecret,
    answerNext: (...statuses: number[]) => answers.push(...statuses),
    types: () => received.map(({ event }) => event.type),
    /** Resolves once `count` events of this type have arrived. */
    until: (type: string, count = 1): Promise<Received[]> =>
      until(() => {
        const found = received.filter(({ event }) => event.type === type)
        return found.length >= count ? found : null
      }),
  }
}
