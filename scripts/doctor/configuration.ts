import { examineEnvironment, type ProcessEnvironment, requiredNames } from '../../schema/env.ts'
import { standInVariables } from '../launch/stand-ins.ts'
import { type Finding, ok, problem } from './finding.ts'

/** A configured environment, with all that `npm start` adds to it. */
export interface Configuration {
  /** A required variable that is missing or wrong is the empty text here. */
  readonly env: ProcessEnvironment
  /** Whether it is a stand-in that answers there. */
  readonly sandbox: { readonly stripe: boolean; readonly clerk: boolean }
}

/** Reads an environment as the processes would; missing services are those of this clone's `npm start`. */
export async function readConfiguration(
  raw: Readonly<Record<string, string | undefined>>,
  dataDir: string,
): Promise<{ configuration: Configuration; findings: Finding[] }> {
  const given = examineEnvironment(raw).environment
  const isStandIn = (key: string | undefined) => given.NODE_ENV !== 'production' && !key
  const sandbox = { stripe: isStandIn(given.STRIPE_SECRET_KEY), clerk: isStandIn(given.CLERK_SECRET_KEY) }
  const added = await standInVariables(raw, dataDir)
  const { environment, problems } = examineEnvironment({ ...raw, ...added })
  const parts = [
    sandbox.stripe ? 'the Stripe sandbox' : 'Stripe',
    sandbox.clerk ? 'the Clerk sandbox' : 'Clerk',
  ]
  const findings = problems.map((text) =>
    problem('environment', {
      text,
      means: 'Server and worker refuse to start.',
      repair: 'Correct it in the environment or in .env; .env.example explains every variable.',
    }),
  )
  if (findings.length === 0)
    findings.push(ok('environment', `complete, for ${given.NODE_ENV} with ${parts.join(' and ')}`))
  const required = Object.fromEntries(requiredNames.map((name) => [name, environment[name] ?? '']))
  const env = { ...environment, ...required } as ProcessEnvironment
  return { configuration: { env, sandbox }, findings }
}
