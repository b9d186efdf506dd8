import { ClerkError, fieldError, incorrectPassword } from '../errors.ts'
import type { Service } from '../service.ts'
import {
  type Client,
  createId,
  type SessionActivity,
  type SignIn,
  type User,
  type Verification,
} from '../state.ts'
import { attemptCode, findUserByEmailAddress, pendingVerification, sendCode } from './email-address.ts'
import { acceptInvitation, invalidTicket, invitationByTicket } from './membership.ts'
import { isPassword } from './password.ts'
import { createSession, updateClient, updateSession } from './session.ts'
import { isLocked } from './user.ts'

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
  if (user && isLocked(user)) {
    throw new ClerkError(403, {
      code: 'user_locked',
      message: 'Your account is locked. Please try again later or contact support.',
    })
  }
  const now = Date.now()
  const signIn = service.store.sign_ins.put({
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
  service.store.sign_ins.trim(SIGN_INS_KEPT)
  updateClient(service, client.id, { sign_in_id: signIn.id })
  return signIn
}

export function signInUser(service: Service, signIn: SignIn): User | undefined {
  return service.store.users.get(signIn.user_id)
}

export function prepareFirstFactor(service: Service, signIn: SignIn, strategy: FirstFactor): SignIn {
  requireStatus(signIn, 'needs_first_factor')
  if (strategy !== 'password' && signIn.identifier) sendCode(service, signIn.identifier)
  return updateSignIn(service, signIn, { first_factor: pendingVerification(strategy) })
}

/** A correct answer signs in, or goes on to choosing a new password. */
export async function attemptFirstFactor(
  service: Service,
  signIn: SignIn,
  {
    strategy,
    password,
    code,
  }: { strategy: FirstFactor; password?: string | undefined; code?: string | undefined },
  browser: Browser,
): Promise<SignIn> {
  requireStatus(signIn, 'needs_first_factor')
  const user = signInUser(service, signIn)
  let attempted = signIn
  const save = (first_factor: Verification) => {
    attempted = updateSignIn(service, signIn, { first_factor })
  }
  if (strategy === 'password') {
    if (!user || !(await isPassword(password ?? '', user.password_hash))) throw incorrectPassword()
    save({ ...pendingVerification('password'), status: 'verified', attempts: 1 })
  } else {
    attemptCode(signIn.first_factor?.strategy === strategy ? signIn.first_factor : null, code, save)
  }
  return strategy === 'reset_password_email_code'
    ? updateSignIn(service, attempted, { status: 'needs_new_password' })
    : completeSignIn(service, attempted, browser)
}

export function completeSignIn(service: Service, signIn: SignIn, { client, activity }: Browser): SignIn {
  const user = signInUser(service, signIn)
  if (!user) throw fieldError('identifier', 'form_identifier_not_found', "Couldn't find your account.")
  const strategy = signIn.first_factor?.strategy ?? 'password'
  const session = createSession(service, { client, user, activity, strategy })
  updateClient(service, client.id, { sign_in_id: null })
  return updateSignIn(service, signIn, { status: 'complete', created_session_id: session.id })
}

/** The link of an invitation, opened by a user who has an account already: signs in and joins at once. */
export function signInWithTicket(service: Service, ticket: string, { client, activity }: Browser): SignIn {
  const invitation = invitationByTicket(service, ticket)
  const user = findUserByEmailAddress(service, invitation.email_address)
  if (!user) throw invalidTicket()
  const started = updateSignIn(service, createSignIn(service, client, invitation.email_address), {
    first_factor: { ...pendingVerification('ticket'), status: 'verified' },
  })
  acceptInvitation(service, invitation, user)
  const signIn = completeSignIn(service, started, { client, activity })
  const session = service.store.sessions.get(signIn.created_session_id)
  if (session) {
    updateSession(service, session, { last_active_organization_id: invitation.organization_id })
  }
  return signIn
}

function updateSignIn({ store }: Service, signIn: SignIn, changes: Partial<Omit<SignIn, 'id'>>): SignIn {
  return store.sign_ins.put({ ...signIn, ...changes })
}

export function requireStatus(signIn: SignIn, status: SignIn['status']): void {
  if (signIn.status === status) return
  throw new ClerkError(422, {
    code: 'sign_in_status_invalid',
    message: 'This step of the sign-in is over. Start again.',
  })
}
