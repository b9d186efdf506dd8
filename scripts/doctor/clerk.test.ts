import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { clerkSandboxVariables } from '../sandbox-environment.ts'
import { examineClerk } from './clerk.ts'
import { readConfiguration } from './configuration.ts'

test('the doctor without DNS names the host that it could not look up, and does not blame the keys', async () => {
  // The name that has no address anywhere: https://www.rfc-editor.org/rfc/rfc2606#section-2
  const raw = { ...clerkSandboxVariables({ clerkPort: 1 }), CLERK_API_URL: 'https://api.clerk.invalid' }
  const [secret, browser] = await examineClerk((await readConfiguration(raw, tmpdir())).configuration)
  expect(secret).toMatchObject({
    text: 'https://api.clerk.invalid/v1/jwks: the name api.clerk.invalid could not be resolved',
    repair: expect.stringContaining('(DNS)'),
  })
  expect(browser).toMatchObject({ text: expect.stringContaining('fetch failed'), repair: expect.any(String) })
  expect(browser).not.toMatchObject({ repair: expect.stringContaining('DNS') })
})
