import { afterAll, beforeAll } from 'vitest'
import type { Instance } from '../settings.ts'
import { startClerkSandbox } from '../start.ts'

/** What an application whose people have a personal account as well as organizations switches on. */
export const withOrganizations = {
  organizations_enabled: true,
  personal_accounts_allowed: true,
  max_allowed_memberships: 5,
} satisfies Instance

type ClerkSandbox = Awaited<ReturnType<typeof startClerkSandbox>>

/** A stand-in with organizations for the tests of a file, without a state file and webhooks. */
export function testSandbox(): ClerkSandbox {
  let started: ClerkSandbox | undefined
  beforeAll(async () => {
    started = await startClerkSandbox({
      port: 0,
      stateFile: null,
      webhookUrl: null,
      instance: withOrganizations,
    })
  })
  afterAll(() => started?.close())
  return new Proxy({} as ClerkSandbox, { get: (_, name) => Reflect.get(started ?? {}, name) })
}
