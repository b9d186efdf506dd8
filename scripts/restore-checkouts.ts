import { parseArgs } from 'node:util'
import { connectDatabase } from '../schema/database/connect.ts'
import { EnvironmentError, parseEnvironment } from '../schema/env.ts'
import { openClerk } from '../schema/vendors/clerk/client.ts'
import { profileOf } from '../schema/vendors/clerk/events.ts'
import { createStripe } from '../schema/vendors/stripe/client.ts'
import { isLiveKey } from '../schema/vendors/stripe/mode.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'
import { explainError } from './explain-error.ts'
import { launcherData, standInVariables } from './launch/stand-ins.ts'
import { restoreCheckouts } from './restore/restore-checkouts.ts'

/** `npm run restore:checkouts -- --since 2026-11-22T03:00:00Z`: see docs/operations.md. */
loadDotEnv()
try {
  const { values } = parseArgs({ options: { since: { type: 'string' } } })
  const since = new Date(values.since ?? '')
  if (Number.isNaN(since.getTime())) throw new Error('Say from when on: --since 2026-11-22T03:00:00Z')
  const env = parseEnvironment({ ...process.env, ...(await standInVariables(process.env, launcherData)) })
  const { STRIPE_SECRET_KEY: secretKey, CLERK_SECRET_KEY: clerkKey } = env
  if (!secretKey || !clerkKey)
    throw new EnvironmentError(['STRIPE_SECRET_KEY and CLERK_SECRET_KEY are needed.'])
  const stripe = createStripe({ secretKey, apiBase: env.STRIPE_API_BASE })
  const clerk = openClerk({ secretKey: clerkKey, apiUrl: env.CLERK_API_URL })
  const { restored, known, left } = await withDatabase(async (url) => {
    const database = connectDatabase({
      connectionString: env.DATABASE_MIGRATION_URL || url,
      role: 'owner',
      livemode: isLiveKey(secretKey),
      poolMax: 1,
      onError: () => undefined,
    })
    const findProfile = async (id: string) => {
      const { raw } = await clerk.users.getUser(id)
      return raw ? profileOf({ object: 'event', type: 'user.updated', data: { ...raw } }) : null
    }
    return restoreCheckouts({ db: database.db, stripe, findProfile }, since).finally(() => database.close())
  })
  for (const id of restored) console.log(`restored  ${id}`)
  for (const { session_id, why } of left) console.log(`LEFT      ${session_id}: ${why}`)
  console.log(`${restored.length} checkouts restored, ${known} known, ${left.length} left for a person`)
  process.exitCode = left.length === 0 ? 0 : 1
} catch (error) {
  console.error(explainError(error))
  process.exitCode = 1
}
