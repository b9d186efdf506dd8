import { createHash } from 'node:crypto'
import type { Router, RouterContext } from '@koa/router'
import type { ParameterizedContext } from 'koa'
import { findMembership } from '../../entities/membership.ts'
import { findOrganization } from '../../entities/organization.ts'
import {
  activeSessions,
  createClient,
  findClientBySecret,
  isActive,
  updateSession,
} from '../../entities/session.ts'
import { missingPermission, notFound, signedOut } from '../../errors.ts'
import type { Service } from '../../service.ts'
import { type Client, createId, type Session, type SessionActivity, type User } from '../../state.ts'
import { clientFields } from '../../wire/session.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** The browser by its cookie, and the session that the script names, or the last active one. */
export function findClient(service: Service, ctx: ParameterizedContext): Client | undefined {
  if (ctx.state.client_id) return service.store.clients.get(ctx.state.client_id)
  const secret = ctx.cookies.get('__client')
  return secret ? findClientBySecret(service, secret) : undefined
}

export function findOrCreateClient(service: Service, ctx: ParameterizedContext): Client {
  const found = findClient(service, ctx)
  if (found) return found
  const { client, secret } = createClient(service)
  ctx.state.client_id = client.id
  setCookie(ctx, '__client', secret, { httpOnly: true })
  return client
}

export function requireSession(
  service: Service,
  ctx: ParameterizedContext,
): { client: Client; session: Session; user: User } {
  const client = findClient(service, ctx)
  if (!client) throw signedOut()
  const id = ctx.query._clerk_session_id
  const sessions = activeSessions(service, client)
  const session = sessions.find(
    (row) => row.id === (typeof id === 'string' ? id : client.last_active_session_id),
  )
  const user = service.store.users.get(session?.user_id)
  if (!session || !user || !isActive(session)) throw signedOut()
  const last_active_at = Date.now()
  return {
    client,
    session: updateSession(service, session, { last_active_at }),
    user: service.store.users.put({ ...user, last_active_at }),
  }
}

/** Every answer includes the browser's whole state, which its script adopts. */
async function respond(service: Service, ctx: ParameterizedContext, response: unknown): Promise<void> {
  const client = findClient(service, ctx)
  setUpdatedAtCookies(service, ctx, client)
  ctx.body = {
    response,
    client: client ? await clientFields(service, client, { azp: callerOrigin(service, ctx) }) : null,
  }
}

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

/** Adds calls to a router, whose work returns what is answered beside the browser's state. */
export function callsOf(router: Router, service: Service) {
  return (name: `${Method} /${string}`, work: (ctx: RouterContext) => unknown): void => {
    const [method = '', path = ''] = name.split(' ')
    router.register(path, [method], async (ctx) => respond(service, ctx, await work(ctx)))
  }
}

/** The origin of the page that calls, which its tokens are for. */
export function callerOrigin(service: Service, ctx: ParameterizedContext): string {
  const named = originOf(ctx.get('origin')) ?? originOf(ctx.get('referer'))
  if (named) return named
  const host = ctx.get('x-forwarded-host')
  if (host) return `${ctx.get('x-forwarded-proto') || 'http'}://${host}`
  return service.settings.origin
}

/** When the browser's state last changed, for servers that decide by cookies; 0 is signed out. */
function setUpdatedAtCookies(service: Service, ctx: ParameterizedContext, client: Client | undefined): void {
  const latest = client ? Math.max(0, ...activeSessions(service, client).map((row) => row.created_at)) : 0
  const value = String(Math.floor(latest / 1000))
  const suffix = createHash('sha1').update(service.settings.publishableKey).digest('base64url').slice(0, 8)
  for (const name of ['__client_uat', `__client_uat_${suffix}`]) {
    if (ctx.cookies.get(name) !== value) setCookie(ctx, name, value, { httpOnly: false })
  }
}

function setCookie(
  ctx: ParameterizedContext,
  name: string,
  value: string,
  { httpOnly }: { httpOnly: boolean },
): void {
  ctx.cookies.set(name, value, {
    httpOnly,
    sameSite: 'lax',
    path: '/',
    maxAge: YEAR_MS,
    signed: false,
    overwrite: true,
  })
}

function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { origin } = new URL(url)
  return origin === 'null' ? null : origin
}

/** The organization in the path, for its members only: to anyone else it does not exist. */
export function requireMember(service: Service, ctx: RouterContext) {
  const { user } = requireSession(service, ctx)
  const organization = findOrganization(service, ctx.params.organizationId ?? '')
  const membership =
    organization && findMembership(service, { organizationId: organization.id, userId: user.id })
  if (!organization || !membership) throw notFound('Organization')
  return { user, organization, membership }
}

export function requireAdmin(service: Service, ctx: RouterContext) {
  const member = requireMember(service, ctx)
  if (member.membership.role !== 'org:admin') throw missingPermission()
  return member
}

/** How the list of signed-in devices describes this one: by its address alone, for it reads no user agent. */
export function activityOf(ctx: ParameterizedContext): SessionActivity {
  return {
    id: createId('sess_activity'),
    device_type: 'Computer',
    browser_name: 'Browser',
    browser_version: '',
    is_mobile: false,
    ip_address: ctx.ip.replace(/^::ffff:/, ''),
  }
}
