import { afterAll, beforeAll } from 'vitest'
import { startClerkSandbox } from '../start.ts'
import { withOrganizations } from './instance.ts'

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
