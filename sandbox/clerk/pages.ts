import { createHash } from 'node:crypto'
import type { ReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Router } from '@koa/router'
import send from 'koa-send'
import { z } from 'zod'
import { findUserByEmailAddress } from './entities/email-address.ts'
import { acceptInvitation, invitationByTicket } from './entities/membership.ts'
import { activeSessions } from './entities/session.ts'
import { userLabel } from './entities/user.ts'
import { findClient } from './routes/frontend/browser.ts'
import type { Service } from './service.ts'
import { readQuery } from './wire/form.ts'

const packages = ['clerk-js', 'ui']

/** Serves the installed browser scripts at the paths of Clerk's own server, compressed as there. */
export function browserScriptRoutes(router: Router): void {
  const compressed = keepCompressed()
  for (const name of packages) {
    const root = join(dirname(findPackageJSON(`@clerk/${name}`, import.meta.url) ?? ''), 'dist')
    for (const path of [`/npm/@clerk/${name}@:version/dist/:file`, `/npm/@clerk/${name}/dist/:file`]) {
      router.get(path, async (ctx) => {
        const file = ctx.params.file ?? ''
        // Chunks have their build in their name; the entry script is checked again after an hour.
        const isChunk = /_[0-9a-f]{6}_\d+\.\d+\.\d+\.js$/.test(file)
        const sent = await send(ctx, file, {
          root,
          maxAge: isChunk ? 365 * 24 * 60 * 60 * 1000 : 60 * 60 * 1000,
          immutable: isChunk,
        })
        ctx.vary('accept-encoding')
        if (ctx.fresh) {
          ctx.status = 304
          return
        }
        const encoding = encodings.find((name) => ctx.acceptsEncodings(name) === name)
        if (!encoding) return
        const stream = ctx.body as ReadStream
        stream.destroy()
        ctx.body = await compressed(sent, encoding)
        ctx.set('content-encoding', encoding)
      })
    }
  }
}

/** The smaller first. */
const encodings = ['br', 'gzip'] as const

const compress = {
  br: (file: Buffer) => promisify(brotliCompress)(file, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (file: Buffer) => promisify(gzip)(file),
}

/** Compresses each file once: the installed packages do not change while the sandbox runs. */
function keepCompressed() {
  const compressed = new Map<string, Promise<Buffer>>()
  return (path: string, encoding: keyof typeof compress): Promise<Buffer> => {
    const key = `${encoding} ${path}`
    const known = compressed.get(key)
    if (known) return known
    const made = readFile(path).then(compress[encoding])
    compressed.set(key, made)
    return made
  }
}

/** Pictures of users and organizations: initials on a colour made from the id. */
export function avatarRoutes(router: Router, service: Service): void {
  router.get('/avatars/:id.svg', (ctx) => {
    const id = ctx.params.id ?? ''
    // The address changes with the name, so each address can be cached for ever.
    ctx.set('cache-control', ctx.query.v ? 'public, max-age=31536000, immutable' : 'no-cache')
    ctx.set('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    ctx.type = 'image/svg+xml'
    ctx.body = drawInitials(id, labelOf(service, id))
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

const ticketQuery = z.object({ ticket: z.string().max(512) })

/** The link in an invitation mail, which redirects to the application with the ticket in the query. */
export function invitationLinkRoutes(router: Router, service: Service): void {
  router.get('/v1/tickets/accept', (ctx) => {
    const { ticket } = readQuery(ctx, ticketQuery)
    const invitation = invitationByTicket(service, ticket)
    const user = findUserByEmailAddress(service, invitation.email_address)
    const client = findClient(service, ctx)
    const isSignedIn = Boolean(
      user && client && activeSessions(service, client).some((row) => row.user_id === user.id),
    )
    if (user && isSignedIn) acceptInvitation(service, invitation, user)
    const status = isSignedIn ? 'complete' : user ? 'sign_in' : 'sign_up'
    const fallback = `${service.settings.origin}/${status === 'sign_up' ? 'sign-up' : 'sign-in'}`
    const target = new URL(invitation.redirect_url ?? fallback, service.settings.origin)
    target.searchParams.set('__clerk_status', status)
    if (status !== 'complete') target.searchParams.set('__clerk_ticket', ticket)
    ctx.redirect(target.href)
  })
}
