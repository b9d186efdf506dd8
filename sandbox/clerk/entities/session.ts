import type { Clerk } from '../clerk.ts'
import { backendSession } from '../wire/session.ts'
import { backendUser } from '../wire/user.ts'
import type { Client } from './client.ts'
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

export function createSession(clerk: Clerk, { client, user, activity, strategy }: NewSession): Session {
  const now = Date.now()
  const session = clerk.store.sessions.add({
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
  clerk.store.sessions.trim(ENDED_SESSIONS_KEPT, (row) => !isActive(row))
  user.last_sign_in_at = now
  user.last_active_at = now
  client.last_active_session_id = session.id
  client.last_authentication_strategy = strategy
  client.updated_at = now
  clerk.outbox.emit('session.created', { ...backendSession(session), user: backendUser(clerk, user) })
  return session
}

export function endSession(clerk: Clerk, session: Session, status: 'ended' | 'removed' | 'revoked'): Session {
  if (session.status !== 'active') return session
  session.status = status
  session.updated_at = Date.now()
  const client = clerk.store.clients.get(session.client_id)
  if (client?.last_active_session_id === session.id) client.last_active_session_id = null
  const user = clerk.store.users.get(session.user_id)
  clerk.outbox.emit(`session.${status}`, {
    ...backendSession(session),
    user: user ? backendUser(clerk, user) : null,
  })
  return session
}

/** Ends every session of a user but the one that stays. */
export function endOtherSessions(clerk: Clerk, user: User, staying: Session | null): void {
  for (const session of activeSessionsOf(clerk, user)) {
    if (session.id !== staying?.id) endSession(clerk, session, 'revoked')
  }
}

export function activeSessionsOf(clerk: Clerk, user: User): Session[] {
  return clerk.store.sessions.filter((row) => row.user_id === user.id && isActive(row))
}

export function isActive(session: Session): boolean {
  return sessionStatus(session) === 'active'
}

export function sessionStatus(session: Session): SessionStatus {
  return session.status === 'active' && session.expire_at < Date.now() ? 'expired' : session.status
}
