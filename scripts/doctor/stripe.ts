import Stripe from 'stripe'
import { createStripe } from '../../schema/vendors/stripe/client.ts'
import { neededPermissions } from '../../schema/vendors/stripe/permissions.ts'
import {
  findWebhookEndpoint,
  webhookPath,
  webhookProblems,
} from '../../schema/vendors/stripe/webhook-endpoint.ts'
import { explainError } from '../explain-error.ts'
import { comparePrices } from '../stripe/set-up-prices.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem } from './finding.ts'
import { findMissingPermissions } from './permissions.ts'

const setUp = 'Run `npm run stripe:setup` with these keys.'

/** Checks that the account sells the catalogue and sends us events, and what the key may do. Reads only. */
export async function examineStripe({ env, sandbox }: Configuration): Promise<Finding[]> {
  const stripe = createStripe({ secretKey: env.STRIPE_SECRET_KEY, apiBase: env.STRIPE_API_BASE })
  const examinations = [
    () => examinePrices(stripe),
    () => examinePermissions(stripe),
    () => examineTax(stripe, env),
    // The sandbox gets the address for its events from a variable.
    ...(sandbox.stripe || env.APP_URL === '' ? [] : [() => examineWebhook(stripe, env)]),
  ]
  const findings: Finding[] = []
  for (const examineOne of examinations) {
    try {
      findings.push(...(await examineOne()))
    } catch (error) {
      // The key may lack one permission; what needs others is examined all the same.
      if (error instanceof Stripe.errors.StripePermissionError) continue
      if (!(error instanceof Stripe.errors.StripeError)) throw error
      const repair =
        'Run `npm start` first for the sandbox, else let this machine reach Stripe, or take another key.'
      const means = 'Nothing can be bought, and nothing that happens at Stripe arrives.'
      return [...findings, problem('Stripe', { text: explainError(error), means, repair })]
    }
  }
  return findings
}

async function examinePrices(stripe: Stripe): Promise<Finding[]> {
  const compared = await comparePrices(stripe)
  const wrong = compared.filter(({ problem: text }) => text !== null)
  if (wrong.length === 0) return [ok('prices', `${compared.length} as in the catalogue, in every currency`)]
  const means = 'This plan cannot be bought: nothing is sold at another price than the one shown.'
  return wrong.map(({ price, problem: text }) =>
    problem('prices', { text: `${price.lookup_key}: ${text}`, means, repair: setUp }),
  )
}

/** Every permission that the product needs, also those that it needs later than at its start. */
async function examinePermissions(stripe: Stripe): Promise<Finding[]> {
  const missing = await findMissingPermissions(stripe)
  const count = Object.keys(neededPermissions).length
  if (missing.length === 0)
    return [ok('permissions', `the key may do all that is needed, in ${count} places`)]
  return [
    problem('permissions', {
      text: `the key lacks ${missing.join(', ')}`,
      means: 'What needs it fails later: a checkout, a renewal, a refund that is not heard of, a comparison.',
      repair: 'Give it to the restricted key (Developers → API keys), by the list in docs/going-live.md.',
    }),
  ]
}

/** Whether Stripe can work out tax; where it cannot, it refuses every checkout that asks for it. */
async function examineTax(stripe: Stripe, { STRIPE_TAX }: Configuration['env']): Promise<Finding[]> {
  if (STRIPE_TAX === 'off')
    return [ok('tax', 'off: Stripe does not work out the tax in our prices (STRIPE_TAX)')]
  const { status, status_details } = await stripe.tax.settings.retrieve()
  if (status === 'active') return [ok('tax', 'on: Stripe works out the tax that is inside our prices')]
  return [
    problem('tax', {
      text: `on, and Stripe’s tax settings lack ${status_details.pending?.missing_fields?.join(', ')}`,
      means: 'Stripe refuses every checkout, because it cannot work out the tax.',
      repair: 'Complete Settings → Tax in the dashboard, or set STRIPE_TAX=off.',
    }),
  ]
}

async function examineWebhook(stripe: Stripe, { APP_URL }: Configuration['env']): Promise<Finding[]> {
  const url = `${APP_URL.replace(/\/+$/, '')}${webhookPath}`
  const endpoint = await findWebhookEndpoint(stripe, url)
  const wrong = endpoint
    ? webhookProblems(endpoint)
    : [
        {
          text: 'there is none',
          advice: `${setUp} On a machine of your own: stripe listen --forward-to ${url}`,
        },
      ]
  if (wrong.length === 0) return [ok('webhook endpoint', `${url}, enabled, every event of ours`)]
  const means = 'Events do not come, or not as we know them: payments are noticed minutes late.'
  return wrong.map(({ text, advice }) =>
    problem('webhook endpoint', { text: `${url}: ${text}`, means, repair: advice ?? setUp }),
  )
}
