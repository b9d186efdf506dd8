import { join } from 'node:path'
import { createStripe } from '../../schema/vendors/stripe/client.ts'
import { startClerk } from '../support/services/clerk.ts'
import { testAppUrl } from '../support/services/sandbox.ts'
import { startStripe } from '../support/services/stripe.ts'
import type { Findings } from './findings.ts'
import { playLiveCheck } from './play.ts'

export const recordedFile = join(import.meta.dirname, 'stand-ins.json')

/** Plays the live check at stand-ins of its own; throws when it leaves something behind there. */
export async function playAtStandIns({ say }: { say: (line: string) => void }): Promise<Findings> {
  await using running = new AsyncDisposableStack()
  const [stripe, clerk] = await Promise.all([startStripe(), startClerk()])
  running.defer(() => stripe.stop())
  running.defer(() => clerk.stop())
  await stripe.setUp()
  const key = 'rk_test_livecheck'
  await stripe.knob('keys', { key, permissions: { customers: 'read' } })
  const found = await playLiveCheck({
    stripe: stripe.client,
    restricted: createStripe({ secretKey: key, apiBase: stripe.url }),
    clerk: clerk.client,
    production: null,
    app_url: testAppUrl,
    patience_ms: 5000,
    say,
  })
  const customers = await stripe.client.customers.list({ limit: 100 })
  const organizations = await clerk.client.organizations.getOrganizationList({ query: 'live-check' })
  const left = [...customers.data, ...organizations.data].map(({ id }) => id)
  if (left.length > 0) throw new Error(`The live check left behind: ${left.join(', ')}`)
  return found
}
