import { defined, type Given } from '../../kit/defined.ts'
import { incorrectCode, takenEmailAddress } from '../errors.ts'
import type { Service } from '../service.ts'
import { type Client, createId, type SessionActivity, type SignUp } from '../state.ts'
import { attemptCode, findUserByEmailAddress, pendingVerification, sendCode } from './email-address.ts'
import { acceptInvitation, invitationByTicket, invitationStatus } from './membership.ts'
import { createSession, updateClient, updateSession } from './session.ts'
import { createUser } from './user.ts'

export type SignUpFields = Given<
  Pick<SignUp, 'email_address' | 'first_name' | 'last_name' | 'locale' | 'password_hash' | 'unsafe_metadata'>
> & { legal_accepted?: boolean | undefined; ticket?: string | undefined }

const DAY_MS = 24 * 60 * 60 * 1000
const SIGN_UPS_KEPT = 500

export function createSignUp(service: Service, client: Client, fields: SignUpFields): SignUp {
  const now = Date.now()
  const signUp = applySignUpFields(
    service,
    {
      id: createId('sua'),
      client_id: client.id,
      status: 'missing_requirements',
      email_address: null,
      verification: null,
      password_hash: null,
      first_name: null,
      last_name: null,
      unsafe_metadata: {},
      locale: null,
      legal_accepted_at: null,
      invitation_id: null,
      created_session_id: null,
      created_user_id: null,
      created_at: now,
      abandon_at: now + DAY_MS,
    },
    fields,
  )
  service.store.sign_ups.trim(SIGN_UPS_KEPT)
  updateClient(service, client.id, { sign_up_id: signUp.id })
  return signUp
}

export function applySignUpFields(
  service: Service,
  before: SignUp,
  { legal_accepted, ticket, ...fields }: SignUpFields,
): SignUp {
  const signUp = ticket ? withTicket(service, before, ticket) : before
  const { email_address: address } = fields
  const isNew = address && address !== signUp.email_address
  if (isNew && findUserByEmailAddress(service, address)) throw takenEmailAddress()
  return service.store.sign_ups.put({
    ...signUp,
    ...defined(fields),
    ...(isNew && { verification: null }),
    ...(legal_accepted && { legal_accepted_at: Date.now() }),
  })
}

export function prepareSignUpVerification(service: Service, signUp: SignUp): SignUp {
  if (!signUp.email_address) throw incorrectCode()
  sendCode(service, signUp.email_address)
  return service.store.sign_ups.put({ ...signUp, verification: pendingVerification('email_code') })
}

export function attemptSignUpVerification(
  { store }: Service,
  signUp: SignUp,
  code: string | undefined,
): SignUp {
  let attempted = signUp
  attemptCode(signUp.verification, code, (verification) => {
    attempted = store.sign_ups.put({ ...signUp, verification })
  })
  return attempted
}

export function missingSignUpFields(signUp: SignUp): string[] {
  return [...(signUp.email_address ? [] : ['email_address']), ...(signUp.password_hash ? [] : ['password'])]
}

export function unverifiedSignUpFields(signUp: SignUp): string[] {
  return signUp.email_address && signUp.verification?.status !== 'verified' ? ['email_address'] : []
}

/** Creates the user and the first session once nothing is missing; until then it does nothing. */
export function completeSignUp(
  service: Service,
  signUp: SignUp,
  { client, activity }: { client: Client; activity: SessionActivity },
): SignUp {
  if (signUp.status === 'complete' || !signUp.email_address) return signUp
  if (missingSignUpFields(signUp).length > 0 || unverifiedSignUpFields(signUp).length > 0) return signUp
  const { email_address, password_hash, first_name, last_name } = signUp
  const { unsafe_metadata, locale, legal_accepted_at } = signUp
  const user = createUser(service, {
    email_addresses: [email_address],
    password_hash,
    first_name,
    last_name,
    unsafe_metadata,
    locale,
    legal_accepted_at,
  })
  const strategy = signUp.invitation_id ? 'ticket' : 'email_code'
  const session = createSession(service, { client, user, activity, strategy })
  const invitation = service.store.invitations.get(signUp.invitation_id)
  if (invitation && invitationStatus(service, invitation) === 'pending') {
    acceptInvitation(service, invitation, user)
    updateSession(service, session, { last_active_organization_id: invitation.organization_id })
  }
  updateClient(service, client.id, { sign_up_id: null })
  return service.store.sign_ups.put({
    ...signUp,
    status: 'complete',
    created_user_id: user.id,
    created_session_id: session.id,
    password_hash: null,
  })
}

/** The link was sent to the address, so the address needs no code. */
function withTicket(service: Service, signUp: SignUp, ticket: string): SignUp {
  const invitation = invitationByTicket(service, ticket)
  if (findUserByEmailAddress(service, invitation.email_address)) throw takenEmailAddress()
  return {
    ...signUp,
    email_address: invitation.email_address,
    invitation_id: invitation.id,
    verification: { ...pendingVerification('ticket'), status: 'verified' },
  }
}
