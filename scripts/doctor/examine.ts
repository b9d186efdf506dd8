import type { requiredNames } from '../../schema/env.ts'
import { withTimeLimit } from '../../schema/time-limit.ts'
import { explainError } from '../explain-error.ts'
import { examineAddress } from './address.ts'
import { examineClerk } from './clerk.ts'
import { type Configuration, readConfiguration } from './configuration.ts'
import { examineContent } from './content.ts'
import { examineDatabase } from './database.ts'
import { type Finding, warning } from './finding.ts'
import { examineKeys } from './keys.ts'
import { examineRedis } from './redis.ts'
import { examineStripe } from './stripe.ts'
import { examineTraces } from './traces.ts'

const limit_ms = 60_000

interface Examination {
  readonly look: (configuration: Configuration) => Finding[] | Promise<Finding[]>
  /** Without these there is nothing to look at: the environment's own finding says so. */
  readonly needs?: readonly (typeof requiredNames)[number][]
}
const examinations: Readonly<Record<string, Examination>> = {
  keys: { look: examineKeys },
  database: { look: examineDatabase, needs: ['DATABASE_URL'] },
  queues: { look: examineRedis },
  Stripe: { look: examineStripe, needs: ['STRIPE_SECRET_KEY'] },
  Clerk: { look: examineClerk, needs: ['CLERK_SECRET_KEY'] },
  address: { look: examineAddress, needs: ['APP_URL'] },
  traces: { look: examineTraces },
  content: { look: examineContent },
}

/** Examines all services of an environment concurrently, without changes. */
export async function examine(options: {
  /** `process.env` with `.env` merged in. */
  readonly raw: Readonly<Record<string, string | undefined>>
  readonly dataDir: string
  readonly now?: () => Date
}): Promise<Finding[]> {
  const { configuration, findings } = await readConfiguration(options.raw, options.dataDir)
  const now = options.now ?? configuration.now
  const found = await Promise.all(
    Object.entries(examinations)
      .filter(([, { needs = [] }]) => needs.every((name) => configuration.env[name] !== ''))
      .map(([what, { look }]) => examineOne(what, async () => look({ ...configuration, now }))),
  )
  return [...findings, ...found.flat()]
}

async function examineOne(what: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await withTimeLimit(look(), { limit_ms, what: `Looking at ${what}` })
  } catch (error) {
    const means = 'It is not known whether it is well.'
    const repair = 'Try again; if it stays, this is a mistake in scripts/doctor.'
    return [warning(what, { text: `it could not be examined: ${explainError(error)}`, means, repair })]
  }
}
