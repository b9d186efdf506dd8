import type { SessionJSON } from '@clerk/backend'
import { sessionTasks, shownStatus } from '../entities/session.ts'
import type { Service } from '../service.ts'
import type { Session } from '../state.ts'
import { publicUserData } from './public.ts'
import { mintSessionToken } from './session-token.ts'
import { frontendUser } from './user.ts'

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
    factor_verification_age: [Math.floor((Date.now() - session.created_at) / 60_000), -1],
    tasks: shownStatus(service, session) === 'pending' ? sessionTasks(service, session) : null,
    user: frontendUser(service, user),
    public_user_data: publicUserData(service, user),
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
