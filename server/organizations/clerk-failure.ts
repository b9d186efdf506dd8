import { ClerkAwayError, ClerkRefusalError } from '../../schema/clerk/errors.ts'
import {
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
    if (error instanceof ClerkAwayError) throw organizationChangeUncertain(failure, error)
    if (error instanceof ClerkRefusalError) throw organizationChangeRefused(failure, error)
    throw error
  }
}
