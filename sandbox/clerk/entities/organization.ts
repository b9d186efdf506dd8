import { fieldError } from '../errors.ts'
import type { Service } from '../service.ts'
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
export function createOrganization(service: Service, wanted: NewOrganization): Organization {
  const now = Date.now()
  const organization = service.store.organizations.add({
    id: wanted.id ?? createId('org'),
    name: wanted.name,
    slug: wanted.slug ? freeSlugOrThrow(service, wanted.slug) : deriveSlug(service, wanted.name),
    created_by: wanted.createdBy?.id ?? null,
    max_allowed_memberships: wanted.maxAllowedMemberships ?? 0,
    admin_delete_enabled: true,
    public_metadata: wanted.publicMetadata ?? {},
    private_metadata: wanted.privateMetadata ?? {},
    created_at: now,
    updated_at: now,
  })
  service.outbox.emit('organization.created', backendOrganization(service, organization))
  if (wanted.createdBy) {
    createMembership(service, { organization, user: wanted.createdBy, role: 'org:admin' })
  }
  return organization
}

export function updateOrganization(
  service: Service,
  organization: Organization,
  changes: Partial<Omit<Organization, 'id' | 'created_at'>>,
): Organization {
  if (changes.slug && changes.slug !== organization.slug) freeSlugOrThrow(service, changes.slug)
  Object.assign(organization, changes, { updated_at: Date.now() })
  service.outbox.emit('organization.updated', backendOrganization(service, organization))
  return organization
}

/** Memberships and invitations go with it, and only the one event tells. */
export function deleteOrganization(service: Service, organization: Organization): void {
  service.store.memberships.deleteWhere((row) => row.organization_id === organization.id)
  for (const session of service.store.sessions.toArray()) {
    if (session.last_active_organization_id === organization.id) session.last_active_organization_id = null
  }
  service.store.invitations.deleteWhere((row) => row.organization_id === organization.id)
  service.store.pictures.delete(organization.id)
  service.store.organizations.delete(organization.id)
  service.outbox.emit('organization.deleted', {
    object: 'organization',
    id: organization.id,
    slug: organization.slug,
    deleted: true,
  })
}

export function findOrganization(service: Service, idOrSlug: string): Organization | undefined {
  return (
    service.store.organizations.get(idOrSlug) ??
    service.store.organizations.find((row) => row.slug === idOrSlug)
  )
}

function freeSlugOrThrow(service: Service, slug: string): string {
  if (service.store.organizations.find((row) => row.slug === slug)) {
    throw fieldError('slug', 'form_identifier_exists', 'That slug is taken. Please try another.')
  }
  return slug
}

function deriveSlug(service: Service, name: string): string {
  const stem =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'organization'
  if (!service.store.organizations.find((row) => row.slug === stem)) return stem
  return `${stem}-${createId('').slice(-8).toLowerCase()}`
}
