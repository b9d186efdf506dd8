import { createHash } from 'node:crypto'
import type { Router } from '@koa/router'
import { userLabel } from '../entities/user.ts'
import type { Service } from '../service.ts'

/** Pictures of users and organizations: the uploaded one, or initials on a colour made from the id. */
export function avatarRoutes(router: Router, service: Service): void {
  router.get('/avatars/:id.svg', (ctx) => {
    const id = ctx.params.id ?? ''
    const picture = service.store.pictures.get(id)
    // The address changes with the picture, so each address can be cached for ever.
    ctx.set('cache-control', ctx.query.v ? 'public, max-age=31536000, immutable' : 'no-cache')
    ctx.set('x-content-type-options', 'nosniff')
    ctx.set('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    ctx.type = picture?.content_type ?? 'image/svg+xml'
    ctx.body = picture ? Buffer.from(picture.base64, 'base64') : drawInitials(id, labelOf(service, id))
  })
}

function labelOf(service: Service, id: string): string {
  const user = service.store.users.get(id)
  return user ? userLabel(user) : (service.store.organizations.get(id)?.name ?? '?')
}

function drawInitials(id: string, label: string): string {
  const hue = createHash('sha1').update(id).digest().readUInt16BE(0) % 360
  return `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">
<defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1">
<stop offset="0" stop-color="hsl(${hue} 62% 46%)"/><stop offset="1" stop-color="hsl(${(hue + 48) % 360} 66% 34%)"/>
</linearGradient></defs>
<rect width="128" height="128" fill="url(#g)"/>
<text x="64" y="66" fill="#fff" font-family="system-ui, sans-serif" font-size="52" font-weight="600" text-anchor="middle" dominant-baseline="central">${initials(label)}</text>
</svg>`
}

function initials(label: string): string {
  const words = label.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}
