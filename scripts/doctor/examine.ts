import { withTimeLimit } from '../../schema/time-limit.ts'
import { explainError } from '../explain-error.ts'
import { examineClerk } from './clerk.ts'
import { type Configuration, readConfiguration } from './configuration.ts'
import { examineContent } from './content.ts'
import { type Finding, warning } from './finding.ts'
import { examineKeys } from './keys.ts'
import { examineDatabase, examineQueues } from './services.ts'
import { examineStripe } from './stripe.ts'

const limit_ms = 60_000

type Look = (configuration: Configuration) => Finding | Finding[] | Promise<Finding | Finding[]>

/** Examines all services of an environment concurrently, without changes. */
export async function examine(options: {
  /** `process.env` with `.env` merged in. */
  readonly raw: Readonly<Record<string, string | undefined>>
  readonly dataDir: string
}): Promise<Finding[]> {
  const { configuration, findings } = await readConfiguration(options.raw, options.dataDir)
  const { DATABASE_URL, STRIPE_SECRET_KEY, CLERK_SECRET_KEY } = configuration.env
  // Of what is missing there is nothing to look at: the environment's own finding says so.
  const examinations: Readonly<Record<string, Look>> = {
    keys: examineKeys,
    ...(DATABASE_URL && { database: examineDatabase }),
    queues: examineQueues,
    ...(STRIPE_SECRET_KEY && { Stripe: examineStripe }),
    ...(CLERK_SECRET_KEY && { Clerk: examineClerk }),
    content: examineContent,
  }
  const found = Object.entries(examinations).map(async ([what, look]) => {
    try {
      const looking = Promise.resolve(look(configuration))
      return await withTimeLimit(looking, { limit_ms, what: `Looking at ${what}` })
    } catch (error) {
      const means = 'It is not known whether it is well.'
      const repair = 'Try again; if it stays, this is a mistake in scripts/doctor.'
      return warning(what, { text: `it could not be examined: ${explainError(error)}`, means, repair })
    }
  })
  return [...findings, ...(await Promise.all(found)).flat()]
}
