import Stripe from 'stripe'
import { createStripe } from '../../schema/stripe/client.ts'
import { neededPermissions } from '../../schema/stripe/permissions.ts'
import { findWebhookEndpoint, webhookPath, webhookProblems } from '../../schema/stripe/webhook-endpoint.ts'
import { explainError } from '../explain-error.ts'
import { findPortals, portalName, portalProblem } from '../stripe/set-up-portals.ts'
import { comparePrices } from '../stripe/set-up-prices.ts'
import { examineAccount } from './account.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { findMissingPermissions } from './permissions.ts'

const setUp = 'Run `npm run stripe:setup` with these keys.'
/** Signatures are good for five minutes. */
const skew_s = { warning: 30, problem: 240 }

/** Checks that the account sells the catalogue and sends us events. Reads only. */
export async function examineStripe(configuration: Configuration): Promise<Finding[]> {
  const { env, sandbox } = configuration
  const stripe = createStripe({ secretKey: env.STRIPE_SECRET_KEY, apiBase: env.STRIPE_API_BASE })
  const examinations: readonly (() => Promise<Finding | Finding[]>)[] = [
    async () => clockSkew(configuration, await stripe.prices.list({ limit: 1 })),
    () => examinePrices(stripe),
    () => examineAccount(stripe, configuration),
    () => examinePermissions(stripe),
    () => examinePortals(stripe),
    () => examineTax(stripe, env.STRIPE_TAX === 'on'),
    () => (sandbox.stripe ? examineSandboxWebhook(stripe) : examineWebhook(stripe, env.APP_URL)),
  ]
  const findings: Finding[] = []
  for (const examineOne of examinations) {
    try {
      findings.push(...[await examineOne()].flat())
    } catch (error) {
      // The key may lack one permission; what needs others is examined all the same.
      if (error instanceof Stripe.errors.StripePermissionError) continue
      if (!(error instanceof Stripe.errors.StripeError)) throw error
      return [...findings, unanswered(error, configuration)]
    }
  }
  return findings
}

function unanswered(error: Stripe.errors.StripeError, { env, sandbox }: Configuration): Finding {
  const means = 'Nothing can be bought, and nothing that happens at Stripe arrives.'
  if (error instanceof Stripe.errors.StripeConnectionError) {
    const address = env.STRIPE_API_BASE ?? 'https://api.stripe.com'
    const repair = sandbox.stripe ? 'Run `npm start` first.' : 'Let this machine reach Stripe.'
    return problem('Stripe', { text: `${address} does not answer`, means, repair })
  }
  const repair = 'Take another key, or give a restricted one the right to read this.'
  return problem('Stripe', { text: `it refuses: ${explainError(error)}`, means, repair })
}

async function examinePrices(stripe: Stripe): Promise<Finding[]> {
  const compared = await comparePrices(stripe)
  const wrong = compared.filter(({ problem: text }) => text !== null)
  if (wrong.length === 0) return [ok('prices', `${compared.length} as in the catalogue, in every currency`)]
  return wrong.map(({ price, problem: text }) =>
    problem('prices', {
      text: `${price.lookup_key}: ${text}`,
      means: 'This plan cannot be bought: nothing is sold at another price than the one shown.',
      repair: setUp,
    }),
  )
}

async function examinePortals(stripe: Stripe): Promise<Finding[]> {
  const portals = await findPortals(stripe)
  const wrong = portals.flatMap(({ portal, update, found }) => {
    const text = found ? portalProblem({ update }, found) : 'there is none'
    if (text === null) return []
    const means = 'Customers do there what we do not expect, or find no place to manage what they pay.'
    return [problem('portals', { text: `${portalName(portal)}: ${text}`, means, repair: setUp })]
  })
  return wrong.length > 0 ? wrong : [ok('portals', `${portals.length} as we set them up, one for each price`)]
}

/** Every permission that the product needs, also those that it needs later than at its start. */
async function examinePermissions(stripe: Stripe): Promise<Finding> {
  const missing = await findMissingPermissions(stripe)
  const count = Object.keys(neededPermissions).length
  if (missing.length === 0) return ok('permissions', `the key may do all that is needed, in ${count} places`)
  return problem('permissions', {
    text: `the key lacks ${missing.join(', ')}`,
    means: 'What needs it fails later: a checkout, a renewal, a refund that is not heard of, a comparison.',
    repair: 'Give it to the restricted key (Developers → API keys), by the list in docs/going-live.md.',
  })
}

/** Whether Stripe can work out tax; where it cannot, it refuses every checkout that asks for it. */
async function examineTax(stripe: Stripe, is_on: boolean): Promise<Finding> {
  if (!is_on) return ok('tax', 'off: Stripe does not work out the tax in our prices (STRIPE_TAX)')
  const { status, status_details } = await stripe.tax.settings.retrieve()
  if (status === 'active') return ok('tax', 'on: Stripe works out the tax that is inside our prices')
  const missing = status_details.pending?.missing_fields?.join(', ') || 'something'
  return problem('tax', {
    text: `on, and Stripe’s tax settings lack ${missing}`,
    means: 'Stripe refuses every checkout, because it cannot work out the tax.',
    repair: 'Complete Settings → Tax in the dashboard, or set STRIPE_TAX=off.',
  })
}

async function examineWebhook(stripe: Stripe, appUrl: string): Promise<Finding[]> {
  if (appUrl === '') return []
  const url = `${appUrl.replace(/\/+$/, '')}${webhookPath}`
  const means = 'Stripe tells us nothing: payments are noticed by the reader of its list, minutes late.'
  const endpoint = await findWebhookEndpoint(stripe, url)
  if (!endpoint) {
    const repair = `${setUp} Is APP_URL right? On a machine of your own: stripe listen --forward-to ${url}`
    return [problem('webhook endpoint', { text: `there is none for ${url}`, means, repair })]
  }
  const wrong = webhookProblems(endpoint).map(({ text, advice }) =>
    advice === null
      ? problem('webhook endpoint', { text: `${url}: ${text}`, means, repair: setUp })
      : problem('webhook endpoint', {
          text: `${url}: ${text}`,
          means: 'Events come in a shape that we do not know; some of them end as failed.',
          repair: advice,
        }),
  )
  return wrong.length > 0 ? wrong : [ok('webhook endpoint', `${url}, enabled, every event of ours`)]
}

/** The sandbox gets the server's own address from a variable. */
async function examineSandboxWebhook(stripe: Stripe): Promise<Finding[]> {
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 })
  const found = data.find(({ url, status }) => url.endsWith(webhookPath) && status === 'enabled')
  if (found) return [ok('webhook endpoint', found.url)]
  const means = 'The sandbox tells the product nothing.'
  const repair = 'Start the sandbox with `npm start`, or set SANDBOX_STRIPE_WEBHOOK_URL.'
  return [problem('webhook endpoint', { text: 'the sandbox has none', means, repair })]
}

function clockSkew({ now }: Configuration, { lastResponse }: Stripe.Response<object>): Finding {
  const stripeTime = Date.parse(lastResponse.headers.date ?? '')
  if (Number.isNaN(stripeTime)) return ok('clock', 'Stripe did not say its time')
  const seconds = Math.round(Math.abs(now().getTime() - stripeTime) / 1000)
  if (seconds < skew_s.warning) return ok('clock', 'agrees with Stripe’s')
  const level = seconds < skew_s.problem ? warning : problem
  return level('clock', {
    text: `this machine's clock is ${seconds} seconds off`,
    means:
      'Signatures of webhooks are good for five minutes and sign-ins for one: beyond that both are refused.',
    repair: 'Switch time synchronization on (timedatectl set-ntp true).',
  })
}
