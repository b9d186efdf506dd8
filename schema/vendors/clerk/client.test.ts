import { ClerkAPIResponseError } from '@clerk/backend/errors'
import { expect, test } from 'vitest'
import { askClerk, openClerk } from './client.ts'
import { ClerkRefusalError, ClerkUnavailableError } from './errors.ts'

test('a Clerk that does not answer is reported as such, with the reason', async () => {
  const clerk = openClerk({ secretKey: 'sk_test_sandbox', apiUrl: 'http://127.0.0.1:1' })
  const asked = askClerk('Reading a person', clerk.users.getUser('user_1'))
  await expect(asked).rejects.toThrow(ClerkUnavailableError)
  await expect(asked).rejects.toThrow(/^Reading a person failed: Clerk does not answer \(fetch failed\)$/)
})

const answerWith = (status: number) =>
  Promise.reject(new ClerkAPIResponseError('No', { data: [{ code: 'no', message: 'No' }], status }))

test.each([400, 402, 403, 409, 413, 418, 422])(
  'the status %i of Clerk is a refusal with a code',
  async (status) => {
    const asked = askClerk('Creating an organization', answerWith(status))
    await expect(asked).rejects.toThrow(ClerkRefusalError)
    await expect(asked).rejects.toMatchObject({ code: 'no' })
  },
)

test.each([401, 429, 500, 502, 503, 529])('the status %i of Clerk means that it is away', async (status) => {
  await expect(askClerk('Creating an organization', answerWith(status))).rejects.toThrow(
    ClerkUnavailableError,
  )
})
