import { createHash, randomBytes } from 'node:crypto'
import type { Clerk } from '../clerk.ts'
import { createId } from './id.ts'
import { isActive, type Session } from './session.ts'

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

export function createClient(clerk: Clerk): { client: Client; secret: string } {
  const now = Date.now()
  const secret = randomBytes(32).toString('base64url')
  const client = clerk.store.clients.add({
    id: createId('client'),
    secret_hash: hashSecret(secret),
    sign_in_id: null,
    sign_up_id: null,
    last_active_session_id: null,
    last_authentication_strategy: null,
    created_at: now,
    updated_at: now,
  })
  if (clerk.store.clients.size > CLIENTS_KEPT) forgetIdleClients(clerk)
  return { client, secret }
}

export function findClientBySecret(clerk: Clerk, secret: string): Client | undefined {
  const hash = hashSecret(secret)
  return clerk.store.clients.find((row) => row.secret_hash === hash)
}

export function activeSessions(clerk: Clerk, client: Client): Session[] {
  return clerk.store.sessions.filter((row) => row.client_id === client.id && isActive(row))
}

/** Only browsers that nobody is signed in with: the others would find themselves signed out. */
function forgetIdleClients(clerk: Clerk): void {
  const inUse = new Set(clerk.store.sessions.filter(isActive).map((row) => row.client_id))
  clerk.store.clients.trim(CLIENTS_KEPT / 2, (row) => !inUse.has(row.id))
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
