import { createHash, randomBytes } from 'node:crypto'
import type { Service } from '../service.ts'
import { backendSession } from '../wire/session.ts'
import { backendUser } from '../wire/user.ts'
import { createId } from './id.ts'
import type { User } from './user.ts'

export type SessionStatus = 'active' | 'ended' | 'removed' | 'revoked' | 'expired'

export type Session = {
  id: string
  client_id: string
  user_id: string
  status: SessionStatus
  last_active_organization_id: string | null
  activity: SessionActivity
  last_active_at: number
  expire_at: number
  abandon_at: number
  created_at: number
  updated_at: number
}

export type SessionActivity = {
  id: string
  device_type: string
  browser_name: string
  browser_version: string
  is_mobile: boolean
  ip_address: string
}

const DAY_MS = 24 * 60 * 60 * 1000
const ENDED_SESSIONS_KEPT = 500

type NewSession = { client: Client; user: User; activity: SessionActivity; strategy: string }

export function createSession(service: Service, { client, user, activity, strategy }: NewSession): Session {
  const now = Date.now()
  const session = service.store.sessions.add({
    id: createId('sess'),
    client_id: client.id,
    user_id: user.id,
    status: 'active',
    last_active_organization_id: null,
    activity,
    last_active_at: now,
    expire_at: now + 7 * DAY_MS,
    abandon_at: now + 30 * DAY_MS,
    created_at: now,
    updated_at: now,
  })
  service.store.sessions.trim(ENDED_SESSIONS_KEPT, (row) => !isActive(row))
  user.last_sign_in_at = now
  user.last_active_at = now
  client.last_active_session_id = session.id
  client.last_authentication_strategy = strategy
  client.updated_at = now
  service.outbox.emit('session.created', { ...backendSession(session), user: backendUser(service, user) })
  return session
}

export function endSession(
  service: Service,
  session: Session,
  status: 'ended' | 'removed' | 'revoked',
): Session {
  if (session.status !== 'active') return session
  session.status = status
  session.updated_at = Date.now()
  const client = service.store.clients.get(session.client_id)
  if (client?.last_active_session_id === session.id) client.last_active_session_id = null
  const user = service.store.users.get(session.user_id)
  service.outbox.emit(`session.${status}`, {
    ...backendSession(session),
    user: user ? backendUser(service, user) : null,
  })
  return session
}

/** Ends every session of a user but the one that stays. */
export function endOtherSessions(service: Service, user: User, staying: Session | null): void {
  for (const session of activeSessionsOf(service, user)) {
    if (session.id !== staying?.id) endSession(service, session, 'revoked')
  }
}

export function activeSessionsOf(service: Service, user: User): Session[] {
  return service.store.sessions.filter((row) => row.user_id === user.id && isActive(row))
}

export function isActive(session: Session): boolean {
  return sessionStatus(session) === 'active'
}

export function sessionStatus(session: Session): SessionStatus {
  return session.status === 'active' && session.expire_at < Date.now() ? 'expired' : session.status
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

const CLIENTS_KEPT = 5000

export function createClient(service: Service): { client: Client; secret: string } {
  const now = Date.now()
  const secret = randomBytes(32).toString('base64url')
  const client = service.store.clients.add({
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

export function activeSessions(service: Service, client: Client): Session[] {
  return service.store.sessions.filter((row) => row.client_id === client.id && isActive(row))
}

/** Only browsers that nobody is signed in with: the others would find themselves signed out. */
function forgetIdleClients(service: Service): void {
  const inUse = new Set(service.store.sessions.filter(isActive).map((row) => row.client_id))
  service.store.clients.trim(CLIENTS_KEPT / 2, (row) => !inUse.has(row.id))
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
