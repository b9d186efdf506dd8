import { join } from 'node:path'
import {
  EnvironmentError,
  type ProcessEnvironment,
  parseEnvironment,
  processEnvironment,
} from '../../schema/env.ts'
import { readAddresses } from '../launch/data-lock.ts'
import { clusterPaths, readClusterRecord } from '../postgres/cluster.ts'
import { findPostmaster } from '../postgres/postmaster.ts'
import { postgresUrl } from '../postgres/server.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from '../sandbox-environment.ts'
import { type Finding, ok, problem } from './finding.ts'

/** A configured environment, with all that `npm start` adds to it. */
export interface Configuration {
  readonly env: ProcessEnvironment
  /** Whether it is a stand-in that answers there. */
  readonly sandbox: { readonly stripe: boolean; readonly clerk: boolean }
  readonly now: () => Date
}

/** Reads an environment as the processes would; missing services are those of this clone's `npm start`. */
export async function readConfiguration(
  raw: Readonly<Record<string, string | undefined>>,
  dataDir: string,
): Promise<{ configuration: Configuration | null; findings: Finding[] }> {
  try {
    const environment = parseEnvironment(raw)
    const isProduction = environment.NODE_ENV === 'production'
    const sandbox = { stripe: !environment.STRIPE_SECRET_KEY, clerk: !environment.CLERK_SECRET_KEY }
    const added = isProduction ? {} : await sandboxVariables({ raw, sandbox, dataDir })
    const env = processEnvironment({ ...raw, ...added })
    const parts = [
      sandbox.stripe ? 'the Stripe sandbox' : 'Stripe',
      sandbox.clerk ? 'the Clerk sandbox' : 'Clerk',
    ]
    const text = `complete, for ${environment.NODE_ENV} with ${parts.join(' and ')}`
    return {
      configuration: { env, sandbox, now: () => new Date() },
      findings: [ok('environment', text)],
    }
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error
    const findings = error.problems.map((text) =>
      problem('environment', {
        text,
        means: 'Server and worker refuse to start.',
        repair: 'Correct it in the environment or in .env; .env.example explains every variable.',
      }),
    )
    return { configuration: null, findings }
  }
}

async function sandboxVariables(options: {
  readonly raw: Readonly<Record<string, string | undefined>>
  readonly sandbox: Configuration['sandbox']
  readonly dataDir: string
}): Promise<Record<string, string | undefined>> {
  const { raw, sandbox, dataDir } = options
  const { url, stripe_port = 4242, clerk_port = 4243 } = readAddresses(dataDir)
  return {
    ...(sandbox.stripe && stripeSandboxVariables({ stripePort: stripe_port })),
    ...(sandbox.clerk && clerkSandboxVariables({ clerkPort: clerk_port })),
    APP_URL: raw.APP_URL || url,
    DATABASE_URL: raw.DATABASE_URL || (await embeddedDatabaseUrl(join(dataDir, 'postgres'))),
  }
}

/** The embedded Postgres of this clone; when it is not running, an address where nothing answers. */
async function embeddedDatabaseUrl(folder: string): Promise<string> {
  const [record, running] = await Promise.all([
    readClusterRecord(folder),
    findPostmaster(clusterPaths(folder).data),
  ])
  return record && running
    ? postgresUrl({ port: running.port, password: record.password, database: 'tidemark' })
    : 'postgres://postgres@127.0.0.1:1/tidemark'
}
