import { ClerkError, incorrectCode, takenEmailAddress } from '../errors.ts'
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
import type { Metadata } from './metadata.ts'
import { type Client, createSession, type SessionActivity } from './session.ts'
import { createUser } from './user.ts'

export type SignUp = {
  id: string
  client_id: string
  status: 'missing_requirements' | 'complete'
  email_address: string | null
  verification: Verification | null
  password_hash: string | null
  first_name: string | null
  last_name: string | null
  unsafe_metadata: Metadata
  locale: string | null
  legal_accepted_at: number | null
  invitation_id: string | null
  created_session_id: string | null
  created_user_id: string | null
  created_at: number
  abandon_at: number
}

export type SignUpFields = {
  emailAddress?: string | undefined
  passwordHash?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  unsafeMetadata?: Metadata | undefined
  locale?: string | undefined
  legalAccepted?: boolean | undefined
  ticket?: string | undefined
}

const DAY_MS = 24 * 60 * 60 * 1000
const SIGN_UPS_KEPT = 500

export function createSignUp(service: Service, client: Client, fields: SignUpFields): SignUp {
  const now = Date.now()
  const signUp: SignUp = {
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
  }
  applySignUpFields(service, signUp, fields)
  service.store.signUps.add(signUp)
  service.store.signUps.trim(SIGN_UPS_KEPT)
  client.sign_up_id = signUp.id
  return signUp
}

export function applySignUpFields(service: Service, signUp: SignUp, fields: SignUpFields): void {
  if (fields.ticket) applyTicket(service, signUp, fields.ticket)
  if (fields.emailAddress && fields.emailAddress !== signUp.email_address) {
    if (findUserByEmailAddress(service, fields.emailAddress)) throw takenEmailAddress()
    signUp.email_address = fields.emailAddress
    signUp.verification = null
  }
  if (fields.passwordHash) signUp.password_hash = fields.passwordHash
  if (fields.firstName !== undefined) signUp.first_name = fields.firstName || null
  if (fields.lastName !== undefined) signUp.last_name = fields.lastName || null
  if (fields.unsafeMetadata) signUp.unsafe_metadata = fields.unsafeMetadata
  if (fields.locale) signUp.locale = fields.locale
  if (fields.legalAccepted) signUp.legal_accepted_at = Date.now()
}

export function prepareSignUpVerification(service: Service, signUp: SignUp): void {
  if (!signUp.email_address) throw incorrectCode()
  signUp.verification = pendingVerification('email_code')
  sendCode(service, signUp.email_address)
}

export function attemptSignUpVerification(signUp: SignUp, code: string | undefined): void {
  attemptCode(signUp.verification, code)
}

export function missingSignUpFields(signUp: SignUp): string[] {
  return [...(signUp.email_address ? [] : ['email_address']), ...(signUp.password_hash ? [] : ['password'])]
}

export function unverifiedSignUpFields(signUp: SignUp): string[] {
  return signUp.email_address && signUp.verification?.status !== 'verified' ? ['email_address'] : []
}

/** Makes the user and the first session as soon as nothing is missing; before that it does nothing. */
export function completeSignUp(
  service: Service,
  signUp: SignUp,
  { client, activity }: { client: Client; activity: SessionActivity },
): void {
  if (signUp.status === 'complete' || !signUp.email_address) return
  if (missingSignUpFields(signUp).length > 0 || unverifiedSignUpFields(signUp).length > 0) return
  const user = createUser(service, {
    emailAddresses: [signUp.email_address],
    passwordHash: signUp.password_hash,
    firstName: signUp.first_name,
    lastName: signUp.last_name,
    unsafeMetadata: signUp.unsafe_metadata,
    locale: signUp.locale,
    legalAcceptedAt: signUp.legal_accepted_at,
  })
  const strategy = signUp.invitation_id ? 'ticket' : 'email_code'
  const session = createSession(service, { client, user, activity, strategy })
  const invitation = service.store.invitations.get(signUp.invitation_id)
  if (invitation && invitationStatus(invitation) === 'pending') {
    acceptInvitation(service, invitation, user)
    session.last_active_organization_id = invitation.organization_id
  }
  signUp.status = 'complete'
  signUp.created_user_id = user.id
  signUp.created_session_id = session.id
  signUp.password_hash = null
  client.sign_up_id = null
}

/** The link came by mail, so its address needs no code. */
function applyTicket(service: Service, signUp: SignUp, ticket: string): void {
  const invitation = service.store.invitations.find((row) => row.ticket === ticket)
  if (!invitation || invitationStatus(invitation) !== 'pending') {
    throw new ClerkError(400, {
      code: 'ticket_invalid',
      message: 'This invitation link is not valid any more.',
    })
  }
  if (findUserByEmailAddress(service, invitation.email_address)) throw takenEmailAddress()
  signUp.email_address = invitation.email_address
  signUp.invitation_id = invitation.id
  signUp.verification = { ...pendingVerification('ticket'), status: 'verified' }
}
