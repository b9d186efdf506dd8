import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto'
import type { SessionJSON } from '@clerk/backend'
import { SignJWT } from 'jose'
import { isVerified } from '../entities/email-address.ts'
import { findMembership } from '../entities/membership.ts'
import { shortRole } from '../entities/role.ts'
import { activeSessions, factorAges, sessionTasks, shownStatus } from '../entities/session.ts'
import { signingKey } from '../entities/signing-key.ts'
import type { Service } from '../service.ts'
import type { Client, Session, SigningKey } from '../state.ts'
import { publicUserData } from './organization.ts'
import { firstFactorsOf, signInFields, signUpFields } from './sign-in.ts'
import { frontendUser, verificationFields } from './user.ts'

export function backendSession(service: Service, session: Session): SessionJSON {
  return {
    ...commonFields(service, session),
    client_id: session.client_id,
    user_id: session.user_id,
    ...(session.last_active_organization_id
      ? { last_active_organization_id: session.last_active_organization_id }
      : {}),
    latest_activity: activityFields(session),
  }
}

/** A session as its browser sees it; the token in it saves the first request for one. */
export async function frontendSession(service: Service, session: Session, { azp }: { azp: string }) {
  const user = service.store.users.get(session.user_id)
  if (!user) throw new Error(`${session.id} has lost its user`)
  return {
    ...commonFields(service, session),
    last_active_organization_id: session.last_active_organization_id,
    last_active_token: { object: 'token', jwt: await mintSessionToken(service, session, { azp }) },
    factor_verification_age: factorAges(session),
    tasks: shownStatus(service, session) === 'pending' ? sessionTasks(service, session) : null,
    user: frontendUser(service, user),
    public_user_data: publicUserData(user),
  }
}

export async function reverificationFields(service: Service, session: Session, options: { azp: string }) {
  const { level, status, first_factor } = session.reverification ?? {}
  const user = service.store.users.get(session.user_id)
  return {
    object: 'session_reverification',
    level,
    status,
    supported_first_factors: user ? firstFactorsOf(user, user.email_addresses.filter(isVerified)) : [],
    supported_second_factors: null,
    first_factor_verification: first_factor ? verificationFields(first_factor) : null,
    second_factor_verification: null,
    session: await frontendSession(service, session, options),
  }
}

export function sessionWithActivity(service: Service, session: Session) {
  return {
    ...commonFields(service, session),
    last_active_organization_id: session.last_active_organization_id,
    latest_activity: activityFields(session),
    user: null,
  }
}

function commonFields(service: Service, session: Session) {
  return {
    object: 'session' as const,
    id: session.id,
    status: shownStatus(service, session),
    actor: null,
    last_active_at: session.last_active_at,
    expire_at: session.expire_at,
    abandon_at: session.abandon_at,
    created_at: session.created_at,
    updated_at: session.updated_at,
  }
}

function activityFields(session: Session) {
  // The published type allows only its own object names, and lacks the one that is sent.
  return { ...session.activity, city: 'Local network', object: 'session_activity' as 'session' }
}

/** The whole state of one browser. It comes with every answer, and the browser script adopts it. */
export async function clientFields(service: Service, client: Client, { azp }: { azp: string }) {
  const sessions = activeSessions(service, client)
  const signIn = service.store.sign_ins.get(client.sign_in_id)
  const signUp = service.store.sign_ups.get(client.sign_up_id)
  const isLastActiveThere = sessions.some((row) => row.id === client.last_active_session_id)
  return {
    object: 'client',
    id: client.id,
    sessions: await Promise.all(sessions.map((row) => frontendSession(service, row, { azp }))),
    sign_in: signIn ? signInFields(service, signIn) : null,
    sign_up: signUp ? signUpFields(signUp) : null,
    last_active_session_id: isLastActiveThere ? client.last_active_session_id : (sessions[0]?.id ?? null),
    last_authentication_strategy: client.last_authentication_strategy,
    // A date would make the browser leave the page to renew the cookie.
    cookie_expires_at: null,
    captcha_bypass: true,
    created_at: client.created_at,
    updated_at: client.updated_at,
  }
}

const LIFETIME_S = 60

type SessionTokenOptions = {
  /** The origin the token is for. */
  azp: string
  /** `null` is the personal account; left out, the session's active organization. */
  organizationId?: string | null
  /** Negative for a token that has expired already. */
  expiresInS?: number
}

/** A session token of format version 2: the organization's claims are under `o`. */
export function mintSessionToken(
  service: Service,
  session: Session,
  { azp, organizationId = session.last_active_organization_id, expiresInS = LIFETIME_S }: SessionTokenOptions,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  // Issued a minute before it expired; otherwise the checks of `iat` and `nbf` fail first.
  const issuedAt = expiresInS > 0 ? now : now + expiresInS - LIFETIME_S
  const organization = organizationClaim(service, session.user_id, organizationId)
  const last_active_organization_id = organization?.id ?? null
  return new SignJWT({
    azp,
    fva: factorAges(session),
    sid: session.id,
    sts: sessionTasks(service, { ...session, last_active_organization_id }).length > 0 ? 'pending' : 'active',
    v: 2,
    ...(organization ? { o: organization } : {}),
  })
    .setProtectedHeader({
      alg: 'RS256',
      cat: 'cl_B7d4PD111AAA',
      kid: signingKey(service).kid,
      typ: 'JWT',
    })
    .setIssuer(`${service.settings.origin}/__clerk`)
    .setSubject(session.user_id)
    .setJti(randomBytes(10).toString('hex'))
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt - 10)
    .setExpirationTime(now + expiresInS)
    .sign(privateKey(signingKey(service)))
}

function organizationClaim(service: Service, userId: string, organizationId: string | null) {
  const organization = service.store.organizations.get(organizationId)
  const membership = organization && findMembership(service, { organizationId: organization.id, userId })
  if (!organization || !membership) return null
  return { id: organization.id, rol: shortRole(membership.role), slg: organization.slug }
}

const imported = new WeakMap<SigningKey, KeyObject>()

function privateKey(key: SigningKey): KeyObject {
  let found = imported.get(key)
  if (!found) {
    found = createPrivateKey(key.private_key_pem)
    imported.set(key, found)
  }
  return found
}
