import { join } from 'node:path'
import { runningPostgresUrl } from '../postgres.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from '../sandbox-environment.ts'
import { readAddresses } from './data-lock.ts'
import { repositoryRoot } from './script.ts'

/** Of this clone's `npm start`. */
export const launcherData = join(repositoryRoot, '.data')

/**
 * What the `npm start` of a data folder adds to an environment that does not name everything, for commands
 * beside it: the stand-ins, the database and the product's own address, at the ports that it chose. Nothing
 * in production.
 */
export async function standInVariables(
  raw: Readonly<Record<string, string | undefined>>,
  dataDir: string,
): Promise<Record<string, string | undefined>> {
  if (raw.NODE_ENV === 'production') return {}
  const { url, stripe_port = 4242, clerk_port = 4243 } = readAddresses(dataDir)
  return {
    ...(!raw.STRIPE_SECRET_KEY && stripeSandboxVariables({ stripePort: stripe_port })),
    ...(!raw.CLERK_SECRET_KEY && clerkSandboxVariables({ clerkPort: clerk_port })),
    ...(!raw.APP_URL && url && { APP_URL: url }),
    ...(!raw.DATABASE_URL && {
      // When it is not running, an address where nothing answers.
      DATABASE_URL:
        (await runningPostgresUrl(join(dataDir, 'postgres'), 'tidemark')) ??
        'postgres://postgres@127.0.0.1:1/tidemark',
    }),
  }
}
