import { incorrectCode } from '../errors.ts'
import type { Service } from '../service.ts'
import { createId } from './id.ts'

export type EmailAddress = {
  id: string
  email_address: string
  /** `null` until a code has been asked for or the address was vouched for by the backend. */
  verification: Verification | null
}

export type Verification = {
  status: 'unverified' | 'verified'
  strategy: string
  attempts: number
  expire_at: number
}

const CODE_LIFETIME_MS = 10 * 60 * 1000

export function createEmailAddress(address: string, { isVerified }: { isVerified: boolean }): EmailAddress {
  return {
    id: createId('idn'),
    email_address: address,
    verification: isVerified ? { ...pendingVerification('email_code'), status: 'verified' } : null,
  }
}

export function pendingVerification(strategy: string): Verification {
  return { status: 'unverified', strategy, attempts: 0, expire_at: Date.now() + CODE_LIFETIME_MS }
}

/** Counts the attempt and throws unless the code is right and was asked for. */
export function attemptCode(verification: Verification | null, code: string | undefined): void {
  if (!verification) throw incorrectCode()
  verification.attempts += 1
  if (code !== EMAIL_CODE || verification.expire_at < Date.now()) throw incorrectCode()
  verification.status = 'verified'
}

export function isVerified(address: EmailAddress): boolean {
  return address.verification?.status === 'verified'
}

/** Only verified addresses belong to somebody; anyone may be halfway through claiming one. */
export function findUserByEmailAddress(service: Service, emailAddress: string) {
  return service.store.users.find((user) =>
    user.email_addresses.some((row) => row.email_address === emailAddress && isVerified(row)),
  )
}

/** Nothing is sent: what would have been is kept, and shown under `/_sandbox/mails`. */
export type Mail = {
  id: string
  to: string
  subject: string
  code: string | null
  url: string | null
  created_at: number
}

/** Always the same, so that people and tests can type it. */
export const EMAIL_CODE = '424242'
const MAILS_KEPT = 200

export function sendMail(
  service: Service,
  mail: Pick<Mail, 'to' | 'subject'> & Partial<Pick<Mail, 'code' | 'url'>>,
) {
  service.store.mails.add({ id: createId('ema'), code: null, url: null, ...mail, created_at: Date.now() })
  service.store.mails.trim(MAILS_KEPT)
}

export function sendCode(service: Service, to: string) {
  sendMail(service, { to, subject: `${EMAIL_CODE} is your verification code`, code: EMAIL_CODE })
}
