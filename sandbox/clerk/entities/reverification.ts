import { ClerkError, fieldError, incorrectPassword } from '../errors.ts'
import type { Service } from '../service.ts'
import type { Reverification, Session } from '../state.ts'
import { attemptCode, isVerified, pendingVerification, sendCode } from './email-address.ts'
import { isPassword } from './password.ts'
import { updateSession } from './session.ts'

/**
 * A user proves again who they are. Without a second factor Clerk falls back to the first at every level
 * (startSessionReverification in fapi/2025-11-10.yml of https://github.com/clerk/openapi-specs).
 */
export function startReverification(service: Service, session: Session, level: Reverification['level']) {
  return save(service, session, { level, status: 'needs_first_factor', first_factor: null })
}

/** Sends a code to one of the user's own addresses; the primary one if none is named. */
export function prepareReverification(service: Service, session: Session, addressId: string | undefined) {
  const begun = requireBegun(session)
  const user = service.store.users.get(session.user_id)
  const address = user?.email_addresses.find(
    (row) => row.id === (addressId ?? user.primary_email_address_id) && isVerified(row),
  )
  if (!address) throw fieldError('email_address_id', 'form_param_value_invalid', 'is invalid')
  sendCode(service, address.email_address)
  return save(service, session, { ...begun, first_factor: pendingVerification('email_code') })
}

/** From a correct answer on the session's first factor is fresh. */
export async function attemptReverification(
  service: Service,
  session: Session,
  answer: {
    strategy: 'password' | 'email_code'
    password?: string | undefined
    code?: string | undefined
  },
) {
  const begun = requireBegun(session)
  const done = (first_factor: Reverification['first_factor']) => {
    const at = first_factor?.status === 'verified' ? { first_factor_at: Date.now() } : {}
    const status = first_factor?.status === 'verified' ? 'complete' : begun.status
    return save(service, session, { ...begun, status, first_factor }, at)
  }
  if (answer.strategy === 'email_code') {
    let saved = session
    attemptCode(begun.first_factor, answer.code, (attempted) => {
      saved = done(attempted)
    })
    return saved
  }
  const user = service.store.users.get(session.user_id)
  if (!(await isPassword(answer.password ?? '', user?.password_hash ?? null))) throw incorrectPassword()
  return done({ ...pendingVerification('password'), status: 'verified', attempts: 1 })
}

function save(
  service: Service,
  session: Session,
  reverification: Reverification,
  more: { first_factor_at?: number } = {},
): Session {
  return updateSession(service, session, { reverification, ...more })
}

function requireBegun({ reverification }: Session): Reverification {
  if (reverification?.status === 'needs_first_factor') return reverification
  throw new ClerkError(422, {
    code: 'session_reverification_status_invalid',
    message: 'This step of the reverification is over. Start again.',
  })
}
