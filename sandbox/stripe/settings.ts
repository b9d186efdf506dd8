import { z } from 'zod'
import { portVariable, readVariables, unlessEmpty, urlOrNone } from '../kit/settings.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The process's settings; the README explains the variables. Each field has a working default. */
export type Settings = {
  host: string
  port: number
  /** Null keeps everything in memory. */
  stateFile: string | null
  /** Null: no endpoint until the API creates one. */
  webhookUrl: string | null
  webhookSecret: string
  /** Where a buyer's browser reaches the payment page; null: where the process listens. */
  publicUrl: string | null
  /** How far behind the real time the clock of a new state begins. It is moved forward from there. */
  beginsDaysAgo: number
  /** How long a bank debit takes to confirm; null: only by a knob. */
  delayedPaymentMs: number | null
  /** The seller's name on the payment page: a setting of a real Stripe account. */
  businessName: string
  /** The address of its terms, another one; null where the account has none, as a new one. */
  termsUrl: string | null
  /** Waits before each webhook retry; the length is the number of retries. Not in the environment. */
  retryDelaysMs: readonly number[]
}

export const defaultSettings: Settings = {
  host: '127.0.0.1',
  port: 4242,
  stateFile: '.data/sandbox-stripe.db',
  webhookUrl: 'http://localhost:3000/api/stripe/webhook',
  webhookSecret: 'whsec_sandbox',
  publicUrl: null,
  beginsDaysAgo: 0,
  delayedPaymentMs: 20 * SECOND_MS,
  businessName: 'Sandbox store',
  termsUrl: null,
  // Quick at first, because a developer is watching; then as patient as Stripe, which tries for three days.
  retryDelaysMs: [
    ...[1, 3, 10, 30, 60].map((seconds) => seconds * SECOND_MS),
    ...[2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
    ...[1, 2, 3, 4, 6, 8, 10, 12, 12].map((hours) => hours * HOUR_MS),
  ],
}

const delay = z.union([
  z.literal('never').transform(() => 0),
  z.coerce
    .number()
    .int()
    .min(0)
    .max(30 * 24 * HOUR_MS),
])

const variables = {
  SANDBOX_STRIPE_HOST: unlessEmpty(z.string().default(defaultSettings.host)),
  SANDBOX_STRIPE_PORT: unlessEmpty(portVariable(defaultSettings.port)),
  SANDBOX_STRIPE_STATE_FILE: unlessEmpty(z.string().default('.data/sandbox-stripe.db')),
  SANDBOX_STRIPE_WEBHOOK_URL: urlOrNone('http://localhost:3000/api/stripe/webhook'),
  SANDBOX_STRIPE_WEBHOOK_SECRET: unlessEmpty(z.string().default(defaultSettings.webhookSecret)),
  SANDBOX_STRIPE_PUBLIC_URL: urlOrNone(''),
  SANDBOX_STRIPE_BEGINS_DAYS_AGO: unlessEmpty(z.coerce.number().int().min(0).max(366).default(0)),
  SANDBOX_STRIPE_DELAYED_PAYMENT_MS: unlessEmpty(delay.default(20 * SECOND_MS)),
  SANDBOX_STRIPE_TERMS_URL: urlOrNone(''),
  SANDBOX_STRIPE_BUSINESS_NAME: unlessEmpty(z.string().default(defaultSettings.businessName)),
}

export function readSettings(environment: Record<string, string | undefined>): Settings {
  const found = readVariables('stripe', variables, environment)
  return {
    ...defaultSettings,
    host: found.SANDBOX_STRIPE_HOST,
    port: found.SANDBOX_STRIPE_PORT,
    stateFile: found.SANDBOX_STRIPE_STATE_FILE,
    webhookUrl: found.SANDBOX_STRIPE_WEBHOOK_URL,
    webhookSecret: found.SANDBOX_STRIPE_WEBHOOK_SECRET,
    publicUrl: found.SANDBOX_STRIPE_PUBLIC_URL?.replace(/\/$/, '') ?? null,
    beginsDaysAgo: found.SANDBOX_STRIPE_BEGINS_DAYS_AGO,
    delayedPaymentMs: found.SANDBOX_STRIPE_DELAYED_PAYMENT_MS || null,
    businessName: found.SANDBOX_STRIPE_BUSINESS_NAME,
    termsUrl: found.SANDBOX_STRIPE_TERMS_URL,
  }
}
