import { writeFile } from 'node:fs/promises'
import { EnvironmentError, parseEnvironment } from '../../schema/env.ts'
import { openClerk } from '../../schema/vendors/clerk/client.ts'
import { createStripe } from '../../schema/vendors/stripe/client.ts'
import { loadDotEnv } from '../../scripts/dot-env.ts'
import { playAtStandIns, recordedFile } from './at-stand-ins.ts'
import { describeDifferences } from './findings.ts'
import { playLiveCheck } from './play.ts'
import recorded from './stand-ins.json' with { type: 'json' }

/**
 * `npm run live-check`: plays a trial, seats, a scheduled change, refunds, a dispute, tax, renewals on test
 * clocks and a sixth member on the *test* keys of the environment, and prints each difference from what the
 * stand-ins did. With `--record` the stand-ins are played and written down.
 */
const say = (line: string) => console.log(line)
try {
  await (process.argv.includes('--record') ? record() : compare())
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

async function record(): Promise<void> {
  await writeFile(recordedFile, `${JSON.stringify(await playAtStandIns({ say }), null, 2)}\n`)
}

async function compare(): Promise<void> {
  loadDotEnv()
  const environment = parseEnvironment(process.env)
  const { stripeKey, clerkKey } = testKeys(environment)
  // Not a setting of the product: made in the dashboard for this check.
  const restrictedKey = process.env.LIVE_CHECK_RESTRICTED_KEY
  const productionKey = process.env.LIVE_CHECK_CLERK_PRODUCTION_KEY
  const found = await playLiveCheck({
    stripe: createStripe({ secretKey: stripeKey, apiBase: environment.STRIPE_API_BASE }),
    restricted: restrictedKey
      ? createStripe({ secretKey: restrictedKey, apiBase: environment.STRIPE_API_BASE })
      : null,
    clerk: openClerk({ secretKey: clerkKey, apiUrl: environment.CLERK_API_URL }),
    production: productionKey ? openClerk({ secretKey: productionKey, apiUrl: undefined }) : null,
    app_url: (environment.APP_URL ?? `http://localhost:${environment.PORT}`).replace(/\/+$/, ''),
    patience_ms: 60_000,
    say,
  })
  const differences = describeDifferences(recorded, found)
  for (const difference of differences) say(difference)
  say(`${differences.length} differences from the stand-ins`)
  process.exitCode = differences.length === 0 ? 0 : 1
}

/** It makes and deletes customers, so live keys are refused. */
function testKeys({ STRIPE_SECRET_KEY, CLERK_SECRET_KEY }: ReturnType<typeof parseEnvironment>) {
  const problems: string[] = []
  if (!STRIPE_SECRET_KEY || !/^(sk|rk)_test_/.test(STRIPE_SECRET_KEY)) {
    problems.push('STRIPE_SECRET_KEY must be a key of test mode (sk_test_…)')
  }
  if (!CLERK_SECRET_KEY?.startsWith('sk_test_')) {
    problems.push('CLERK_SECRET_KEY must be a key of a development instance (sk_test_…)')
  }
  if (!STRIPE_SECRET_KEY || !CLERK_SECRET_KEY || problems.length > 0) throw new EnvironmentError(problems)
  return { stripeKey: STRIPE_SECRET_KEY, clerkKey: CLERK_SECRET_KEY }
}
