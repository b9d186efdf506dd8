import { expect, test } from 'vitest'
import { ApiFailure } from '../../api/failure.ts'
import { accountFailureTitle } from './useAccount.ts'

const failure = (status: number, code: string) => new ApiFailure({ status, code, text: null })

test.each([
  [failure(503, 'database_unavailable'), 'read', 'Database Error'],
  [failure(0, 'unreachable'), 'read', 'Database Error'],
  [failure(401, 'unauthenticated'), 'read', 'Authentication Error'],
  [failure(401, 'unauthenticated'), 'make', 'Authentication Error'],
  [failure(502, 'initialize_failed'), 'make', 'User Creation Failed'],
  [failure(503, 'database_unavailable'), 'make', 'Initialization Error'],
  [new TypeError('x is not a function'), 'make', 'Initialization Error'],
] as const)('the failure %s while the account is %s is called %s', (error, step, title) => {
  expect(accountFailureTitle(error, step)).toBe(title)
})
