import { maximumSeats } from '../schema/catalogue/plans.ts'
import { brandOf, EnvironmentError, parseEnvironment } from '../schema/env.ts'
import { openClerk } from '../schema/vendors/clerk/client.ts'
import { findMembershipMaximum } from '../schema/vendors/clerk/organizations.ts'
import { createStripe } from '../schema/vendors/stripe/client.ts'
import { webhookPath } from '../schema/vendors/stripe/webhook-endpoint.ts'
import { loadDotEnv } from './dot-env.ts'
import { setUpStripe } from './stripe/set-up.ts'

/** `npm run stripe:setup`: prepares the account of STRIPE_SECRET_KEY to sell the catalogue. Repeatable. */
loadDotEnv()
try {
  const environment = parseEnvironment(process.env)
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase } = environment
  if (!secretKey) throw new EnvironmentError(['STRIPE_SECRET_KEY is missing: the account to set up'])
  const { CLERK_SECRET_KEY: clerkKey, CLERK_API_URL: apiUrl } = environment
  const allowed = clerkKey
    ? await findMembershipMaximum(openClerk({ secretKey: clerkKey, apiUrl }))
    : maximumSeats
  const app_url = (environment.APP_URL ?? `http://localhost:${environment.PORT}`).replace(/\/+$/, '')
  const { changes, webhook } = await setUpStripe(createStripe({ secretKey, apiBase }), {
    app_url,
    brand_name: brandOf(environment).name,
    maximum_seats: Math.min(maximumSeats, allowed),
    // The sandbox gets the address for its events from a variable.
    webhook: apiBase ? null : { webhook_url: `${app_url}${webhookPath}`, may_reach_localhost: false },
  })
  for (const change of changes) console.log(change)
  if (changes.length === 0) console.log('Stripe is set up: products, prices, portals, webhook endpoint')
  if (webhook?.skipped) console.log(webhook.skipped)
  for (const warning of webhook?.warnings ?? []) console.log(warning)
  if (webhook?.secret)
    console.log(`Stripe shows this once; put it into .env:\nSTRIPE_WEBHOOK_SECRET=${webhook.secret}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
