import type { Clerk } from '../clerk.ts'
import { fieldError } from '../errors.ts'
import { backendOrganization } from '../wire/organization.ts'
import { createId } from './id.ts'
import { createMembership } from './membership.ts'
import type { Metadata } from './metadata.ts'
import type { User } from './user.ts'

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

export type NewOrganization = {
  id?: string | undefined
  name: string
  slug?: string | null | undefined
  createdBy: User | null
  maxAllowedMemberships?: number | undefined
  publicMetadata?: Metadata | undefined
  privateMetadata?: Metadata | undefined
}

/** Whoever creates an organization is its first admin. */
export function createOrganization(clerk: Clerk, wanted: NewOrganization): Organization {
  const now = Date.now()
  const organization = clerk.store.organizations.add({
    id: wanted.id ?? createId('org'),
    name: wanted.name,
    slug: wanted.slug ? freeSlugOrThrow(clerk, wanted.slug) : deriveSlug(clerk, wanted.name),
    created_by: wanted.createdBy?.id ?? null,
    max_allowed_memberships: wanted.maxAllowedMemberships ?? 0,
    admin_delete_enabled: true,
    public_metadata: wanted.publicMetadata ?? {},
    private_metadata: wanted.privateMetadata ?? {},
    created_at: now,
    updated_at: now,
  })
  clerk.outbox.emit('organization.created', backendOrganization(clerk, organization))
  if (wanted.createdBy) {
    createMembership(clerk, { organization, user: wanted.createdBy, role: 'org:admin' })
  }
  return organization
}

export function updateOrganization(
  clerk: Clerk,
  organization: Organization,
  changes: Partial<Omit<Organization, 'id' | 'created_at'>>,
): Organization {
  if (changes.slug && changes.slug !== organization.slug) freeSlugOrThrow(clerk, changes.slug)
  Object.assign(organization, changes, { updated_at: Date.now() })
  clerk.outbox.emit('organization.updated', backendOrganization(clerk, organization))
  return organization
}

/** Memberships and invitations go with it, and only the one event tells. */
export function deleteOrganization(clerk: Clerk, organization: Organization): void {
  clerk.store.memberships.deleteWhere((row) => row.organization_id === organization.id)
  for (const session of clerk.store.sessions.toArray()) {
    if (session.last_active_organization_id === organization.id) session.last_active_organization_id = null
  }
  clerk.store.invitations.deleteWhere((row) => row.organization_id === organization.id)
  clerk.store.pictures.delete(organization.id)
  clerk.store.organizations.delete(organization.id)
  clerk.outbox.emit('organization.deleted', {
    object: 'organization',
    id: organization.id,
    slug: organization.slug,
    deleted: true,
  })
}

export function findOrganization(clerk: Clerk, idOrSlug: string): Organization | undefined {
  return (
    clerk.store.organizations.get(idOrSlug) ?? clerk.store.organizations.find((row) => row.slug === idOrSlug)
  )
}

function freeSlugOrThrow(clerk: Clerk, slug: string): string {
  if (clerk.store.organizations.find((row) => row.slug === slug)) {
    throw fieldError('slug', 'form_identifier_exists', 'That slug is taken. Please try another.')
  }
  return slug
}

function deriveSlug(clerk: Clerk, name: string): string {
  const stem =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'organization'
  if (!clerk.store.organizations.find((row) => row.slug === stem)) return stem
  return `${stem}-${createId('').slice(-8).toLowerCase()}`
}
