import { createHash } from 'node:crypto'
import type { Clerk } from '../clerk.ts'

/**
 * Root-relative, as the browser reaches it through the application's proxy: so `img-src 'self'` lets it pass.
 * The query changes with the picture or the initials, which lets the answer be cached for good.
 */
export function imageUrl(clerk: Clerk, id: string, label: string): string {
  const picture = clerk.store.pictures.get(id)
  const version = createHash('sha1')
    .update(`${label}/${picture?.updated_at ?? ''}`)
    .digest('hex')
    .slice(0, 8)
  return `/__clerk/avatars/${id}.svg?v=${version}`
}

export function hasImage(clerk: Clerk, id: string): boolean {
  return clerk.store.pictures.get(id) !== undefined
}
