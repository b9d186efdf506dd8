import { activeSessions } from '../entities/session.ts'
import type { Service } from '../service.ts'
import type { Client } from '../state.ts'
import { frontendSession } from './session.ts'
import { signInFields, signUpFields } from './sign-in.ts'

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
