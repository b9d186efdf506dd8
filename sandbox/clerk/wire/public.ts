import { createHash } from 'node:crypto'
import type { Service } from '../service.ts'

/**
 * Root-relative, as the browser reaches it through the application's proxy: so `img-src 'self'` lets it pass.
 * The query changes with the picture or the initials, which lets the answer be cached for good.
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
