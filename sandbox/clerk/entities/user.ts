import { takenEmailAddress } from '../errors.ts'
import type { Service } from '../service.ts'
import { backendUser } from '../wire/user.ts'
import { createEmailAddress, type EmailAddress, findUserByEmailAddress } from './email-address.ts'
import { createId } from './id.ts'
import type { Metadata } from './metadata.ts'

export type User = {
  id: string
  first_name: string | null
  last_name: string | null
  external_id: string | null
  email_addresses: EmailAddress[]
  primary_email_address_id: string | null
  password_hash: string | null
  password_last_updated_at: number | null
  public_metadata: Metadata
  private_metadata: Metadata
  unsafe_metadata: Metadata
  banned: boolean
  locale: string | null
  legal_accepted_at: number | null
  last_sign_in_at: number | null
  last_active_at: number | null
  created_at: number
  updated_at: number
}

export type NewUser = {
  id?: string | undefined
  emailAddresses: string[]
  passwordHash?: string | null
  firstName?: string | null | undefined
  lastName?: string | null | undefined
  externalId?: string | null | undefined
  publicMetadata?: Metadata | undefined
  privateMetadata?: Metadata | undefined
  unsafeMetadata?: Metadata | undefined
  locale?: string | null | undefined
  legalAcceptedAt?: number | null | undefined
}

/** The addresses count as verified: whoever calls has checked them or vouches for them. */
export function createUser(service: Service, wanted: NewUser): User {
  for (const address of wanted.emailAddresses) {
    if (findUserByEmailAddress(service, address)) throw takenEmailAddress()
  }
  const now = Date.now()
  const emailAddresses = wanted.emailAddresses.map((address) =>
    createEmailAddress(address, { isVerified: true }),
  )
  const user = service.store.users.add({
    id: wanted.id ?? createId('user'),
    first_name: wanted.firstName || null,
    last_name: wanted.lastName || null,
    external_id: wanted.externalId ?? null,
    email_addresses: emailAddresses,
    primary_email_address_id: emailAddresses[0]?.id ?? null,
    password_hash: wanted.passwordHash ?? null,
    password_last_updated_at: wanted.passwordHash ? now : null,
    public_metadata: wanted.publicMetadata ?? {},
    private_metadata: wanted.privateMetadata ?? {},
    unsafe_metadata: wanted.unsafeMetadata ?? {},
    banned: false,
    locale: wanted.locale ?? null,
    legal_accepted_at: wanted.legalAcceptedAt ?? null,
    last_sign_in_at: null,
    last_active_at: null,
    created_at: now,
    updated_at: now,
  })
  service.outbox.emit('user.created', backendUser(service, user))
  return user
}

export function updateUser(
  service: Service,
  user: User,
  changes: Partial<Omit<User, 'id' | 'created_at'>>,
): User {
  Object.assign(user, changes, { updated_at: Date.now() })
  service.outbox.emit('user.updated', backendUser(service, user))
  return user
}

/**
 * Memberships and sessions go with the user, organizations stay. There is one event only: a receiver may not count
 * on one for each membership as well.
 */
export function deleteUser(service: Service, user: User): void {
  service.store.memberships.deleteWhere((row) => row.user_id === user.id)
  service.store.sessions.deleteWhere((row) => row.user_id === user.id)
  service.store.pictures.delete(user.id)
  service.store.users.delete(user.id)
  service.outbox.emit('user.deleted', {
    object: 'user',
    id: user.id,
    deleted: true,
    ...(user.external_id ? { external_id: user.external_id } : {}),
  })
}

export function primaryEmailAddress(user: User): string {
  const primary = user.email_addresses.find((row) => row.id === user.primary_email_address_id)
  return primary?.email_address ?? ''
}
