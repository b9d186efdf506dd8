import { ApiFailure, isStatus } from '../../api/failure.ts'

/** What could not be done: to read the account, or to make the one that is missing. */
export type AccountStep = 'read' | 'make'

/** The title of a failure that leaves the dashboard without an account, in the product's words. */
export function accountFailureTitle(error: unknown, step: AccountStep): string {
  if (isStatus(error, 401)) return 'Authentication Error'
  if (step === 'read') return 'Database Error'
  // The account is made of what the sign-in service knows, and that did not answer.
  const isRefused = error instanceof ApiFailure && error.code === 'initialize_failed'
  return isRefused ? 'User Creation Failed' : 'Initialization Error'
}
