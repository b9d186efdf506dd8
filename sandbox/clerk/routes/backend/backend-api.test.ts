import { createClerkClient } from '@clerk/backend'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { seeds } from '../../seed.ts'
import { testSandbox } from '../../testing/sandbox.ts'

const sandbox = testSandbox()
let clerk: ReturnType<typeof createClerkClient>
beforeAll(() => {
  clerk = createClerkClient({ secretKey: 'sk_test_sandbox', apiUrl: `${sandbox.url}/bapi` })
})
beforeEach(async () => {
  await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' })
})

test('lists respect limit and offset and start with the newest item', async () => {
  const first = await clerk.users.getUserList({ limit: 1 })
  const second = await clerk.users.getUserList({ limit: 1, offset: 1 })
  expect([first.data[0]?.id, second.data[0]?.id]).toEqual([seeds.supervisor.id, seeds.support.id])
  expect(first.totalCount).toBe(3)
})

test('an address that is taken and a password that is short are refused', async () => {
  const taken = clerk.users.createUser({ emailAddress: [seeds.demo.email] })
  await expect(taken).rejects.toMatchObject({ status: 422, errors: [{ code: 'form_identifier_exists' }] })
  const short = clerk.users.createUser({ emailAddress: ['short@example.test'], password: 'short' })
  await expect(short).rejects.toMatchObject({ errors: [{ code: 'form_password_length_too_short' }] })
})
