import { createHash, randomBytes } from 'node:crypto'
import type { Service } from '../service.ts'
import type { Instance } from '../settings.ts'
import {
  type Client,
  createId,
  type Session,
  type SessionActivity,
  type SessionStatus,
  type User,
} from '../state.ts'
import { emit } from './event.ts'

const CLIENTS_KEPT = 5000
const ENDED_SESSIONS_KEPT = 500
const DAY_MS = 24 * 60 * 60 * 1000

/** A new browser. Its cookie holds the secret; only the hash is kept. */
export function createClient(service: Service): { client: Client; secret: string } {
  const now = Date.now()
  const secret = randomBytes(32).toString('base64url')
  const client = service.store.clients.put({
    id: createId('client'),
    secret_hash: hashSecret(secret),
    sign_in_id: null,
    sign_up_id: null,
    last_active_session_id: null,
    last_authentication_strategy: null,
    created_at: now,
    updated_at: now,
  })
  if (service.store.clients.size > CLIENTS_KEPT) forgetIdleClients(service)
  return { client, secret }
}

export function findClientBySecret(service: Service, secret: string): Client | undefined {
  const hash = hashSecret(secret)
  return service.store.clients.find((row) => row.secret_hash === hash)
}

export function updateClient({ store }: Service, id: string, changes: Partial<Omit<Client, 'id'>>): void {
  const client = store.clients.get(id)
  if (client) store.clients.put({ ...client, ...changes })
}

export function activeSessions(service: Service, client: Client): Session[] {
  return service.store.sessions.filter((row) => row.client_id === client.id && isActive(row))
}

type NewSession = { client: Client; user: User; activity: SessionActivity; strategy: string }

export function createSession(service: Service, { client, user, activity, strategy }: NewSession): Session {
  const { store } = service
  const now = Date.now()
  const session = store.sessions.put({
    id: createId('sess'),
    client_id: client.id,
    user_id: user.id,
    status: 'active',
    last_active_organization_id: null,
    ...(user.password_compromised && { must_reset_password: true }),
    activity,
    last_active_at: now,
    expire_at: now + 7 * DAY_MS,
    abandon_at: now + 30 * DAY_MS,
    created_at: now,
    updated_at: now,
  })
  store.sessions.trim(ENDED_SESSIONS_KEPT, (row) => !isActive(row))
  const signedIn = store.users.get(user.id)
  if (signedIn) store.users.put({ ...signedIn, last_sign_in_at: now, last_active_at: now })
  updateClient(service, client.id, {
    last_active_session_id: session.id,
    last_authentication_strategy: strategy,
    updated_at: now,
  })
  emit(service, 'session.created', session)
  return session
}

export function updateSession(
  { store }: Service,
  session: Session,
  changes: Partial<
    Pick<
      Session,
      | 'last_active_at'
      | 'last_active_organization_id'
      | 'must_reset_password'
      | 'updated_at'
      | 'first_factor_at'
      | 'reverification'
    >
  >,
): Session {
  return store.sessions.put({ ...(store.sessions.get(session.id) ?? session), ...changes })
}

export function endSession(
  service: Service,
  session: Session,
  status: 'ended' | 'removed' | 'revoked',
): Session {
  if (session.status !== 'active') return session
  const ended = service.store.sessions.put({ ...session, status, updated_at: Date.now() })
  const client = service.store.clients.get(session.client_id)
  if (client?.last_active_session_id === session.id) {
    updateClient(service, client.id, { last_active_session_id: null })
  }
  emit(service, `session.${status}`, ended)
  return ended
}

export function endOtherSessions(service: Service, user: User, staying: Session | null): void {
  for (const session of activeSessionsOf(service, user)) {
    if (session.id !== staying?.id) endSession(service, session, 'revoked')
  }
}

export function activeSessionsOf(service: Service, user: User): Session[] {
  return service.store.sessions.filter((row) => row.user_id === user.id && isActive(row))
}

/** Sessions in which this organization was active switch to the personal account. */
export function leaveOrganization({ store }: Service, organizationId: string, userId?: string): void {
  const left = store.sessions.filter(
    (row) =>
      row.last_active_organization_id === organizationId && (userId === undefined || row.user_id === userId),
  )
  for (const session of left) store.sessions.put({ ...session, last_active_organization_id: null })
}

export function isActive(session: Session): boolean {
  return sessionStatus(session) === 'active'
}

function sessionStatus(session: Session): SessionStatus {
  return session.status === 'active' && session.expire_at < Date.now() ? 'expired' : session.status
}

/** Minutes since the first and the second factor; no person of the stand-in has a second one. */
export function factorAges({ first_factor_at, created_at }: Session): [number, number] {
  return [Math.floor((Date.now() - (first_factor_at ?? created_at)) / 60_000), -1]
}

/** As it is shown: a session with tasks is pending. */
export function shownStatus(service: Pick<Service, 'instance'>, session: Session): string {
  const status = sessionStatus(session)
  return status === 'active' && sessionTasks(service, session).length > 0 ? 'pending' : status
}

/**
 * What its user has to do before a session is active, in the order in which it is asked for
 * (https://clerk.com/docs/guides/configure/session-tasks). Clerk asks for another password "by default", and for
 * an organization where there are no personal accounts. No instance here requires a second factor.
 */
export function sessionTasks(
  { instance }: Pick<Service, 'instance'>,
  { last_active_organization_id, must_reset_password }: Session,
): { key: 'reset-password' | 'choose-organization' }[] {
  return [
    ...(must_reset_password ? [{ key: 'reset-password' as const }] : []),
    ...(mustChooseOrganization(instance) && last_active_organization_id === null
      ? [{ key: 'choose-organization' as const }]
      : []),
  ]
}

export function mustChooseOrganization(instance: Instance): boolean {
  return instance.organizations_enabled && !instance.personal_accounts_allowed
}

/** Only browsers without a signed-in user: the others would be signed out. */
function forgetIdleClients({ store }: Service): void {
  const inUse = new Set(store.sessions.filter(isActive).map((row) => row.client_id))
  store.clients.trim(CLIENTS_KEPT / 2, (row) => !inUse.has(row.id))
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
