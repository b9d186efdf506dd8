import { createHash } from 'node:crypto'
import { primaryEmailAddress, userLabel } from '../entities/user.ts'
import type { Service } from '../service.ts'
import type { Organization, User } from '../state.ts'

/**
 * Root-relative, so that `img-src 'self'` allows it. The query changes with the picture: cacheable for ever.
 */
export function imageUrl(service: Service, id: string, label: string): string {
  const picture = service.store.pictures.get(id)
  const version = createHash('sha1')
    .update(`${label}/${picture?.updated_at ?? ''}`)
    .digest('hex')
    .slice(0, 8)
  return `/__clerk/avatars/${id}.svg?v=${version}`
}

export function hasImage(service: Service, id: string): boolean {
  return service.store.pictures.get(id) !== undefined
}

/** What other members of an organization see of a user. */
export function publicUserData(service: Service, user: User) {
  return {
    first_name: user.first_name,
    last_name: user.last_name,
    image_url: imageUrl(service, user.id, userLabel(user)),
    profile_image_url: imageUrl(service, user.id, userLabel(user)),
    has_image: hasImage(service, user.id),
    // Null by the specification of the backend API; the library's type does not say so.
    identifier: (primaryEmailAddress(user) || null) as string,
    user_id: user.id,
  }
}

/** The organization as non-members see it, for instance in an invitation. */
export function publicOrganizationData(service: Service, organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    image_url: imageUrl(service, organization.id, organization.name),
    has_image: hasImage(service, organization.id),
  }
}
