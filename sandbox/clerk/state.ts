import { newId } from '../kit/id.ts'
import type { Delivery } from '../kit/outbox.ts'
import { openStore, type Store, table } from '../kit/store.ts'
import type { Metadata } from './entities/metadata.ts'
import type { Role } from './entities/role.ts'

export type User = {
  id: string
  first_name: string | null
  last_name: string | null
  external_id: string | null
  email_addresses: EmailAddress[]
  primary_email_address_id: string | null
  password_hash: string | null
  password_last_updated_at: number | null
  /** The next sign-in asks for another password; missing when it does not. */
  password_compromised?: boolean
  public_metadata: Metadata
  private_metadata: Metadata
  unsafe_metadata: Metadata
  banned: boolean
  /** End of the lock in milliseconds; missing without one. */
  locked_until?: number | null
  locale: string | null
  legal_accepted_at: number | null
  last_sign_in_at: number | null
  last_active_at: number | null
  created_at: number
  updated_at: number
}

export type EmailAddress = {
  id: string
  email_address: string
  /** Missing in states of earlier sandboxes. */
  created_at?: number
  /** `null` until a code has been asked for or the address was vouched for by the backend. */
  verification: Verification | null
}

export type Verification = {
  status: 'unverified' | 'verified'
  strategy: string
  attempts: number
  expire_at: number
}

export type Organization = {
  id: string
  name: string
  slug: string
  created_by: string | null
  /** 0 is no limit. */
  max_allowed_memberships: number
  admin_delete_enabled: boolean
  public_metadata: Metadata
  private_metadata: Metadata
  created_at: number
  updated_at: number
}

export type OrganizationMembership = {
  id: string
  organization_id: string
  user_id: string
  role: Role
  public_metadata: Metadata
  private_metadata: Metadata
  created_at: number
  updated_at: number
}

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired'

export type OrganizationInvitation = {
  id: string
  organization_id: string
  email_address: string
  role: Role
  status: InvitationStatus
  public_metadata: Metadata
  private_metadata: Metadata
  inviter_user_id: string | null
  redirect_url: string | null
  /** The secret in the mailed link: its bearer counts as the owner of the address. */
  ticket: string
  created_at: number
  updated_at: number
  expires_at: number
}

/** One browser. Its cookie holds the secret; only the hash is kept. */
export type Client = {
  id: string
  secret_hash: string
  sign_in_id: string | null
  sign_up_id: string | null
  last_active_session_id: string | null
  last_authentication_strategy: string | null
  created_at: number
  updated_at: number
}

export type SessionStatus = 'active' | 'ended' | 'removed' | 'revoked' | 'expired'

export type Session = {
  id: string
  client_id: string
  user_id: string
  status: SessionStatus
  last_active_organization_id: string | null
  /** Its user has to choose another password first; missing when not. */
  must_reset_password?: boolean
  /** When its user last proved who they are; missing where that was at the sign-in. */
  first_factor_at?: number
  /** Proving it again; missing until that is begun. */
  reverification?: Reverification
  activity: SessionActivity
  last_active_at: number
  expire_at: number
  abandon_at: number
  created_at: number
  updated_at: number
}

export type Reverification = {
  level: 'first_factor' | 'second_factor' | 'multi_factor'
  status: 'needs_first_factor' | 'complete'
  first_factor: Verification | null
}

export type SessionActivity = {
  id: string
  device_type: string
  browser_name: string
  browser_version: string
  is_mobile: boolean
  ip_address: string
}

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

/** Mails are not sent, but kept and shown under `/_sandbox/mails`. */
export type Mail = {
  id: string
  to: string
  subject: string
  code: string | null
  url: string | null
  created_at: number
}

/** `kid` is new with every key: verifiers cache by it and would otherwise check against an old key. */
export type SigningKey = { id: 'signing_key'; kid: string; private_key_pem: string }

/** An event as it is sent: rendered when it happened, because objects change later and an event does not. */
export type WebhookEvent = { id: string; type: string; payload: object; created_at: number }

/** What each type of event is about. `wire/webhooks.ts` decides how it is rendered. */
export type EventSubjects = Record<`user.${'created' | 'updated' | 'deleted'}`, User> &
  Record<`organization.${'created' | 'updated' | 'deleted'}`, Organization> &
  Record<`organizationMembership.${'created' | 'updated' | 'deleted'}`, OrganizationMembership> &
  Record<`organizationInvitation.${'created' | 'revoked'}`, OrganizationInvitation> & {
    'organizationInvitation.accepted': { invitation: OrganizationInvitation; user: User }
  } & Record<`session.${'created' | 'ended' | 'removed' | 'revoked'}`, Session>

export type RenderEvent = <Type extends keyof EventSubjects>(
  type: Type,
  subject: EventSubjects[Type],
  timestamp: number,
) => object

const tables = {
  users: table<User>(),
  organizations: table<Organization>(),
  memberships: table<OrganizationMembership>(),
  invitations: table<OrganizationInvitation>(),
  clients: table<Client>(),
  sessions: table<Session>(),
  sign_ins: table<SignIn>(),
  sign_ups: table<SignUp>(),
  events: table<WebhookEvent>(),
  deliveries: table<Delivery>(),
  mails: table<Mail>(),
  signing_keys: table<SigningKey>(),
}

export type State = Store<typeof tables>

/** The whole state of the sandbox. Without a path it is kept in memory. */
export function openState(path: string | null): State {
  return openStore(tables, path === null ? null : { path, service: 'clerk' })
}

/** An id in Clerk's own form: `user_2f…`, 27 characters after the prefix. */
export function createId(prefix: string): string {
  return newId(prefix, 27)
}
