import { defined, type Given } from '../../kit/defined.ts'
import { takenEmailAddress } from '../errors.ts'
import type { Service } from '../service.ts'
import { createId, type User } from '../state.ts'
import { createEmailAddress, findUserByEmailAddress } from './email-address.ts'
import { emit } from './event.ts'

export type NewUser = Given<Omit<User, 'email_addresses'>> & { email_addresses: string[] }

/** The addresses count as verified: the caller has checked them or vouches for them. */
export function createUser(service: Service, { email_addresses: wanted, ...given }: NewUser): User {
  for (const address of wanted) {
    if (findUserByEmailAddress(service, address)) throw takenEmailAddress()
  }
  const now = Date.now()
  const email_addresses = wanted.map((address) => createEmailAddress(address, { isVerified: true }))
  const user = service.store.users.put({
    id: createId('user'),
    external_id: null,
    email_addresses,
    primary_email_address_id: email_addresses[0]?.id ?? null,
    password_hash: null,
    password_last_updated_at: given.password_hash ? now : null,
    public_metadata: {},
    private_metadata: {},
    unsafe_metadata: {},
    banned: false,
    locale: null,
    legal_accepted_at: null,
    last_sign_in_at: null,
    last_active_at: null,
    created_at: now,
    updated_at: now,
    ...defined(given),
    first_name: given.first_name || null,
    last_name: given.last_name || null,
  })
  emit(service, 'user.created', user)
  return user
}

/** Clerk's default duration of a lockout. */
export const LOCKOUT_MS = 60 * 60 * 1000

export function isLocked({ locked_until }: User): boolean {
  return locked_until != null && locked_until > Date.now()
}

/** Null for a user who is not locked. */
export function lockoutSeconds(user: User): number | null {
  return isLocked(user) ? Math.ceil(((user.locked_until ?? 0) - Date.now()) / 1000) : null
}

/** What changes with a password; another one is no longer compromised. */
export function newPassword(password_hash: string) {
  return { password_hash, password_last_updated_at: Date.now(), password_compromised: false }
}

export function updateUser(
  service: Service,
  user: User,
  changes: Partial<Omit<User, 'id' | 'created_at'>>,
): User {
  const updated = service.store.users.put({
    ...(service.store.users.get(user.id) ?? user),
    ...changes,
    updated_at: Date.now(),
  })
  emit(service, 'user.updated', updated)
  return updated
}

/** Deletes memberships and sessions too, with one event for the user only, as Clerk does. */
export function deleteUser(service: Service, user: User): void {
  service.store.memberships.removeWhere((row) => row.user_id === user.id)
  service.store.sessions.removeWhere((row) => row.user_id === user.id)
  service.store.users.remove(user.id)
  emit(service, 'user.deleted', user)
}

export function primaryEmailAddress(user: User): string {
  const primary = user.email_addresses.find((row) => row.id === user.primary_email_address_id)
  return primary?.email_address ?? ''
}

export function userLabel(user: User): string {
  return [user.first_name, user.last_name].filter(Boolean).join(' ') || primaryEmailAddress(user)
}
