import { z } from 'zod'
import { portSetting, settingsReader, textSetting, unlessEmpty, urlOrNone } from '../kit/settings.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

const delay = z.union([
  z.literal('never').transform(() => 0),
  z.coerce
    .number()
    .int()
    .min(0)
    .max(30 * 24 * HOUR_MS),
])

/** The README explains the variables. */
export const readSettings = settingsReader('stripe', {
  host: textSetting('127.0.0.1'),
  port: portSetting(4242),
  /** A test that keeps everything in memory says null. */
  stateFile: textSetting('.data/sandbox-stripe.db') as z.ZodType<string | null>,
  /** Null: no endpoint until the API creates one. */
  webhookUrl: urlOrNone('http://localhost:3000/api/stripe/webhook'),
  webhookSecret: textSetting('whsec_sandbox'),
  /** Where a buyer's browser reaches the payment page; null: where the process listens. */
  publicUrl: urlOrNone(''),
  /** How far behind the real time the clock of a new state begins. It is moved forward from there. */
  beginsDaysAgo: unlessEmpty(z.coerce.number().int().min(0).max(366).default(0)),
  /** How long a bank debit takes to confirm; null: only by a knob. */
  delayedPaymentMs: unlessEmpty(delay.default(20 * SECOND_MS)).transform((delay_ms) => delay_ms || null),
  /** The seller's name on the payment page: a setting of a real Stripe account. */
  businessName: textSetting('Sandbox store'),
  /** The address of its terms, another one; null where the account has none, as a new one. */
  termsUrl: urlOrNone(''),
})

export type Settings = ReturnType<typeof readSettings> & {
  /** Waits before each webhook retry; the length is the number of retries. Not in the environment. */
  retryDelaysMs: readonly number[]
}

export const defaultSettings: Settings = {
  ...readSettings({}),
  // Quick at first, because a developer is watching; then as patient as Stripe, which tries for three days.
  retryDelaysMs: [
    ...[1, 3, 10, 30, 60].map((seconds) => seconds * SECOND_MS),
    ...[2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
    ...[1, 2, 3, 4, 6, 8, 10, 12, 12].map((hours) => hours * HOUR_MS),
  ],
}
