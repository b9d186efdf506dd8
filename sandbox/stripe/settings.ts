/** What the process is told from outside. Each field names its variable; every one has a default that works alone. */
export type StripeSandboxOptions = {
  /** SANDBOX_STRIPE_PORT (4242). 0 takes any free port. */
  port: number
  /** SANDBOX_STRIPE_STATE_FILE (.data/sandbox-stripe.json). Null keeps everything in memory. */
  state_file: string | null
  /** SANDBOX_STRIPE_WEBHOOK_URL (http://localhost:3000/api/stripe/webhook). Empty: no endpoint until the API creates one. */
  webhook_url: string | null
  /** SANDBOX_STRIPE_WEBHOOK_SECRET (whsec_sandbox). Signs what goes to SANDBOX_STRIPE_WEBHOOK_URL. */
  webhook_secret: string
  /** SANDBOX_STRIPE_PUBLIC_URL (http://localhost:<port>). Where a buyer's browser reaches the payment page. */
  public_url: string | null
  /** SANDBOX_STRIPE_DELAYED_PAYMENT_MS (20000). How long a bank debit takes to confirm; 0 or "never": only by a knob. */
  delayed_payment_ms: number | null
  /** SANDBOX_STRIPE_BUSINESS_NAME (Sandbox store). The seller's name on the payment page: a setting of a real Stripe account. */
  business_name: string
  /** How long the sender waits before it tries a webhook again; the length is the number of retries. Not in the environment. */
  retry_delays_ms: readonly number[]
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Quick at first, because a developer is watching; then as patient as Stripe, which tries for three days. */
const retry_delays_ms: readonly number[] = [
  ...[1, 3, 10, 30, 60].map((seconds) => seconds * second),
  ...[2, 5, 10, 20, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 4, 6, 8, 10, 12, 12].map((hours) => hours * hour),
]

export const defaultOptions: StripeSandboxOptions = {
  port: 4242,
  state_file: '.data/sandbox-stripe.json',
  webhook_url: 'http://localhost:3000/api/stripe/webhook',
  webhook_secret: 'whsec_sandbox',
  public_url: null,
  delayed_payment_ms: 20 * second,
  business_name: 'Sandbox store',
  retry_delays_ms,
}

/** A variable that is unset takes its default; one that is set and makes no sense stops the process with its name. */
export function readOptions(env: Record<string, string | undefined>): StripeSandboxOptions {
  return {
    ...defaultOptions,
    port: wholeNumber('SANDBOX_STRIPE_PORT', env.SANDBOX_STRIPE_PORT, { max: 65_535 }) ?? defaultOptions.port,
    state_file: env.SANDBOX_STRIPE_STATE_FILE || defaultOptions.state_file,
    webhook_url: readUrl(
      'SANDBOX_STRIPE_WEBHOOK_URL',
      env.SANDBOX_STRIPE_WEBHOOK_URL ?? defaultOptions.webhook_url,
    ),
    webhook_secret: env.SANDBOX_STRIPE_WEBHOOK_SECRET || defaultOptions.webhook_secret,
    public_url:
      readUrl('SANDBOX_STRIPE_PUBLIC_URL', env.SANDBOX_STRIPE_PUBLIC_URL ?? null)?.replace(/\/$/, '') ?? null,
    delayed_payment_ms: readDelay(env.SANDBOX_STRIPE_DELAYED_PAYMENT_MS),
    business_name: env.SANDBOX_STRIPE_BUSINESS_NAME || defaultOptions.business_name,
  }
}

function readDelay(text: string | undefined): number | null {
  if (text === 'never') return null
  const delay = wholeNumber('SANDBOX_STRIPE_DELAYED_PAYMENT_MS', text, { max: 30 * 24 * hour })
  if (delay === undefined) return defaultOptions.delayed_payment_ms
  return delay === 0 ? null : delay
}

function wholeNumber(name: string, text: string | undefined, { max }: { max: number }): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d+$/.test(text) || Number(text) > max) {
    throw new Error(`${name} must be a whole number from 0 to ${max}, not "${text}".`)
  }
  return Number(text)
}

function readUrl(name: string, text: string | null): string | null {
  if (text === null || text === '') return null
  if (!/^https?:/.test(text) || !URL.canParse(text))
    throw new Error(`${name} must be an http(s) URL, not "${text}".`)
  return text
}
