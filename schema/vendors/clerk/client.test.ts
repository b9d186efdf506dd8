import { expect, test } from 'vitest'
import { askClerk, openClerk } from './client.ts'
import { ClerkUnavailableError } from './errors.ts'

test('a Clerk that does not answer is reported as such, with the reason', async () => {
  const clerk = openClerk({ secretKey: 'sk_test_sandbox', apiUrl: 'http://127.0.0.1:1' })
  const asked = askClerk('Reading a person', clerk.users.getUser('user_1'))
  await expect(asked).rejects.toThrow(ClerkUnavailableError)
  await expect(asked).rejects.toThrow(/^Reading a person failed: Clerk does not answer \(fetch failed\)$/)
})
