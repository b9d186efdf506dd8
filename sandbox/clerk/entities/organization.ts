import { defined, type Given } from '../../kit/defined.ts'
import { ClerkError, fieldError } from '../errors.ts'
import type { Service } from '../service.ts'
import { createId, type Organization, type User } from '../state.ts'
import { emit } from './event.ts'
import { createMembership } from './membership.ts'
import { leaveOrganization } from './session.ts'

type NewOrganization = Given<Omit<Organization, 'created_by' | 'slug'>> & {
  name: string
  slug?: string | null | undefined
  creator: User | null
}

/**
 * "Payment required", where Clerk's plan for the application allows no such limit: of calls that create or change
 * an organization (`PaymentRequired` in https://github.com/clerk/openapi-specs/blob/main/bapi/2026-05-12.yml; the
 * cap is in https://clerk.com/docs/guides/billing/seat-based-plans). The code is not published.
 */
function requirePlan({ instance: { plan_cap = null } }: Service, limit: number | undefined): void {
  if (plan_cap === null || limit === undefined || (limit > 0 && limit <= plan_cap)) return
  const message = `Your plan allows ${plan_cap} members in an organization.`
  throw new ClerkError(402, { code: 'unsupported_subscription_plan_features', message })
}

/** The user who creates an organization is its first admin. */
export function createOrganization(
  service: Service,
  { creator, slug, ...given }: NewOrganization,
): Organization {
  requirePlan(service, given.max_allowed_memberships)
  const now = Date.now()
  const organization = service.store.organizations.put({
    id: createId('org'),
    created_by: creator?.id ?? null,
    max_allowed_memberships: service.instance.max_allowed_memberships,
    admin_delete_enabled: true,
    public_metadata: {},
    private_metadata: {},
    created_at: now,
    updated_at: now,
    ...defined(given),
    slug: slug ? freeSlugOrThrow(service, slug) : deriveSlug(service, given.name),
  })
  emit(service, 'organization.created', organization)
  if (creator) createMembership(service, { organization, user: creator, role: 'org:admin' })
  return organization
}

export function updateOrganization(
  service: Service,
  organization: Organization,
  changes: Partial<Omit<Organization, 'id' | 'created_at'>>,
): Organization {
  requirePlan(service, changes.max_allowed_memberships)
  if (changes.slug && changes.slug !== organization.slug) freeSlugOrThrow(service, changes.slug)
  const updated = service.store.organizations.put({ ...organization, ...changes, updated_at: Date.now() })
  emit(service, 'organization.updated', updated)
  return updated
}

/** Memberships and invitations are deleted with it, and there is only this one event. */
export function deleteOrganization(service: Service, organization: Organization): void {
  service.store.memberships.removeWhere((row) => row.organization_id === organization.id)
  leaveOrganization(service, organization.id)
  service.store.invitations.removeWhere((row) => row.organization_id === organization.id)
  service.store.organizations.remove(organization.id)
  emit(service, 'organization.deleted', organization)
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
