import { randomUUID } from 'node:crypto'
import type { ClerkClient } from '@clerk/backend'
import { ownOrigins } from '../../../schema/origins.ts'
import { openClerk } from '../../../schema/vendors/clerk/client.ts'
import { type ClerkDirectory, createClerkDirectory } from '../../../schema/vendors/clerk/directory.ts'
import { createTokenVerifier, type VerifyToken } from '../../../schema/vendors/clerk/tokens.ts'
import { type Sandbox, startSandbox, testAppUrl } from './sandbox.ts'

export interface TestClerk extends Sandbox {
  readonly client: ClerkClient
  readonly directory: ClerkDirectory
  readonly verifyToken: VerifyToken
  forgetEvents(): Promise<void>
  /** The events since then, oldest first, optionally only of types with these prefixes. */
  listEvents(...kinds: string[]): Promise<ClerkSandboxEvent[]>
}

export interface ClerkSandboxEvent {
  readonly id: string
  readonly type: string
  readonly payload: { readonly timestamp: number; readonly data: Record<string, unknown> }
}

/** A user of the sign-in sandbox, and a token as their browser would hold it. */
export interface Person {
  readonly user_id: string
  readonly email: string
  readonly token: string
}

/** Without `serverPort` no event is delivered. */
export async function startClerk(options: { serverPort?: number } = {}): Promise<TestClerk> {
  const sandbox = await startSandbox('clerk', options)
  const address = { secretKey: 'sk_test_sandbox', apiUrl: `${sandbox.url}/bapi` }
  const client = openClerk(address)
  let forgotten = new Set<string>()
  const list = async (): Promise<ClerkSandboxEvent[]> => {
    const response = await fetch(`${sandbox.url}/_sandbox/events`)
    return ((await response.json()) as { data: ClerkSandboxEvent[] }).data
  }
  return {
    ...sandbox,
    client,
    directory: createClerkDirectory(client),
    verifyToken: createTokenVerifier({
      ...address,
      authorizedParties: ownOrigins(testAppUrl, { production: false }),
    }),
    async forgetEvents() {
      forgotten = new Set((await list()).map(({ id }) => id))
    },
    listEvents: async (...kinds) =>
      (await list()).filter(
        ({ id, type }) =>
          !forgotten.has(id) && (kinds.length === 0 || kinds.some((kind) => type.startsWith(kind))),
      ),
  }
}

/** A new person, without an account in our database. */
export async function signUp(
  clerk: Pick<Sandbox, 'knob'>,
  profile: { email?: string; first_name?: string; last_name?: string; role?: 'support' } = {},
): Promise<Person> {
  const email = profile.email ?? `person.${randomUUID().slice(0, 8)}@tidemark.test`
  const { id } = await clerk.knob<{ id: string }>('users', { ...profile, email })
  return { user_id: id, email, token: await tokenOf(clerk, { user_id: id }) }
}

export async function tokenOf(
  clerk: Pick<Sandbox, 'knob'>,
  token: { user_id: string; azp?: string; expires_in_s?: number; factor_age_min?: number },
): Promise<string> {
  const { jwt } = await clerk.knob<{ jwt: string }>('tokens', { expires_in_s: 3600, ...token })
  return jwt
}
