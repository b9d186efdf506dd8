import { invalidTeamEmailText } from '../../schema/api/team-email.ts'
import { ClerkRefusalError, ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import {
  invalidTeamEmail,
  type OrganizationFailureText,
  organizationChangeRefused,
  organizationChangeUncertain,
} from '../errors.ts'

/** Waits for a call to Clerk, and tells the caller in the product's words when it fails. */
export async function orOrganizationFailure<T>(
  failure: OrganizationFailureText,
  call: Promise<T>,
): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw organizationFailure(failure, error)
  }
}

/** What the caller is told of an error of Clerk's; any other error is returned as it is. */
export function organizationFailure(failure: OrganizationFailureText, error: unknown): unknown {
  if (error instanceof ClerkUnavailableError) return organizationChangeUncertain(failure, error)
  if (!(error instanceof ClerkRefusalError)) return error
  // Clerk's idea of an address is narrower than ours, and the address is all that people typed.
  if (error.code.startsWith('form_param_')) return invalidTeamEmail(invalidTeamEmailText, error)
  return organizationChangeRefused(failure, error)
}
