import type { Verification } from '../entities/email-address.ts'

export function verificationFields(verification: Verification) {
  return {
    object: `verification_${verification.strategy}`,
    status: verification.status,
    strategy: verification.strategy,
    attempts: verification.attempts,
    expire_at: verification.expire_at,
  }
}
