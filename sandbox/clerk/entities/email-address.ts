import { incorrectCode } from '../errors.ts'
import type { Service } from '../service.ts'
import { createId, type EmailAddress, type Mail, type User, type Verification } from '../state.ts'

const CODE_LIFETIME_MS = 10 * 60 * 1000

export function createEmailAddress(address: string, { isVerified }: { isVerified: boolean }): EmailAddress {
  return {
    id: createId('idn'),
    email_address: address,
    created_at: Date.now(),
    verification: isVerified ? { ...pendingVerification('email_code'), status: 'verified' } : null,
  }
}

export function pendingVerification(strategy: string): Verification {
  return { status: 'unverified', strategy, attempts: 0, expire_at: Date.now() + CODE_LIFETIME_MS }
}

/** Throws unless a code was requested and matches. `save` records the attempt either way. */
export function attemptCode(
  verification: Verification | null,
  code: string | undefined,
  save: (attempted: Verification) => void,
): void {
  if (!verification) throw incorrectCode()
  const isRight = code === EMAIL_CODE && verification.expire_at >= Date.now()
  const status = isRight ? 'verified' : verification.status
  save({ ...verification, status, attempts: verification.attempts + 1 })
  if (!isRight) throw incorrectCode()
}

export function saveVerification(
  { store }: Service,
  { user, address }: { user: User; address: EmailAddress },
  verification: Verification,
): EmailAddress {
  const saved = { ...address, verification }
  const email_addresses = user.email_addresses.map((row) => (row.id === address.id ? saved : row))
  store.users.put({ ...user, email_addresses })
  return saved
}

export function isVerified(address: EmailAddress): boolean {
  return address.verification?.status === 'verified'
}

/** Only verified addresses belong to a user; several may be in the middle of claiming the same one. */
export function findUserByEmailAddress(service: Service, emailAddress: string) {
  return service.store.users.find((user) =>
    user.email_addresses.some((row) => row.email_address === emailAddress && isVerified(row)),
  )
}

/** Always the same, so that people and tests can type it. */
const EMAIL_CODE = '424242'
const MAILS_KEPT = 200

export function sendMail(
  service: Service,
  mail: Pick<Mail, 'to' | 'subject'> & Partial<Pick<Mail, 'code' | 'url'>>,
) {
  service.store.mails.put({ id: createId('ema'), code: null, url: null, ...mail, created_at: Date.now() })
  service.store.mails.trim(MAILS_KEPT)
}

export function sendCode(service: Service, to: string) {
  sendMail(service, { to, subject: `${EMAIL_CODE} is your verification code`, code: EMAIL_CODE })
}
