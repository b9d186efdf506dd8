import { ClerkError, fieldError, incorrectPassword } from '../errors.ts'
import type { Service } from '../service.ts'
import {
  attemptCode,
  findUserByEmailAddress,
  pendingVerification,
  sendCode,
  type Verification,
} from './email-address.ts'
import { createId } from './id.ts'
import { acceptInvitation, invitationStatus } from './invitation.ts'
import { isPassword } from './password.ts'
import { type Client, createSession, type SessionActivity } from './session.ts'
import type { User } from './user.ts'

export type SignIn = {
  id: string
  client_id: string
  status: 'needs_identifier' | 'needs_first_factor' | 'needs_new_password' | 'complete'
  identifier: string | null
  user_id: string | null
  first_factor: Verification | null
  created_session_id: string | null
  created_at: number
  abandon_at: number
}

export type FirstFactor = 'password' | 'email_code' | 'reset_password_email_code'
type Browser = { client: Client; activity: SessionActivity }

const DAY_MS = 24 * 60 * 60 * 1000
const SIGN_INS_KEPT = 500

export function createSignIn(service: Service, client: Client, identifier: string | null): SignIn {
  const user = identifier === null ? undefined : findUserByEmailAddress(service, identifier)
  if (identifier !== null && !user) {
    throw fieldError('identifier', 'form_identifier_not_found', "Couldn't find your account.")
  }
  if (user?.banned) {
    throw new ClerkError(403, {
      code: 'user_banned',
      message: 'This account is banned. Please contact support.',
    })
  }
  const now = Date.now()
  const signIn = service.store.signIns.add({
    id: createId('sia'),
    client_id: client.id,
    status: user ? 'needs_first_factor' : 'needs_identifier',
    identifier,
    user_id: user?.id ?? null,
    first_factor: null,
    created_session_id: null,
    created_at: now,
    abandon_at: now + DAY_MS,
  })
  service.store.signIns.trim(SIGN_INS_KEPT)
  client.sign_in_id = signIn.id
  return signIn
}

export function signInUser(service: Service, signIn: SignIn): User | undefined {
  return service.store.users.get(signIn.user_id)
}

export function prepareFirstFactor(service: Service, signIn: SignIn, strategy: FirstFactor): void {
  requireStatus(signIn, 'needs_first_factor')
  signIn.first_factor = pendingVerification(strategy)
  if (strategy !== 'password' && signIn.identifier) sendCode(service, signIn.identifier)
}

/** A right answer signs in, or leads on to choosing a new password. */
export async function attemptFirstFactor(
  service: Service,
  signIn: SignIn,
  {
    strategy,
    password,
    code,
  }: { strategy: FirstFactor; password?: string | undefined; code?: string | undefined },
  browser: Browser,
): Promise<void> {
  requireStatus(signIn, 'needs_first_factor')
  const user = signInUser(service, signIn)
  if (strategy === 'password') {
    if (!user || !(await isPassword(password ?? '', user.password_hash))) throw incorrectPassword()
    signIn.first_factor = { ...pendingVerification('password'), status: 'verified', attempts: 1 }
  } else {
    attemptCode(signIn.first_factor?.strategy === strategy ? signIn.first_factor : null, code)
  }
  if (strategy === 'reset_password_email_code') signIn.status = 'needs_new_password'
  else completeSignIn(service, signIn, browser)
}

export function completeSignIn(service: Service, signIn: SignIn, { client, activity }: Browser): void {
  const user = signInUser(service, signIn)
  if (!user) throw fieldError('identifier', 'form_identifier_not_found', "Couldn't find your account.")
  const strategy = signIn.first_factor?.strategy ?? 'password'
  const session = createSession(service, { client, user, activity, strategy })
  signIn.status = 'complete'
  signIn.created_session_id = session.id
  client.sign_in_id = null
}

/** The link of an invitation, opened by someone who has an account already: signs in and joins at once. */
export function signInWithTicket(service: Service, ticket: string, { client, activity }: Browser): SignIn {
  const invitation = service.store.invitations.find((row) => row.ticket === ticket)
  const user = invitation && findUserByEmailAddress(service, invitation.email_address)
  if (!invitation || !user || invitationStatus(invitation) !== 'pending') {
    throw new ClerkError(400, {
      code: 'ticket_invalid',
      message: 'This invitation link is not valid any more.',
    })
  }
  const signIn = createSignIn(service, client, invitation.email_address)
  signIn.first_factor = { ...pendingVerification('ticket'), status: 'verified' }
  acceptInvitation(service, invitation, user)
  completeSignIn(service, signIn, { client, activity })
  const session = service.store.sessions.get(signIn.created_session_id)
  if (session) session.last_active_organization_id = invitation.organization_id
  return signIn
}

export function requireStatus(signIn: SignIn, status: SignIn['status']): void {
  if (signIn.status === status) return
  throw new ClerkError(422, {
    code: 'sign_in_status_invalid',
    message: 'This step of the sign-in is over. Start again.',
  })
}
