import { createHash } from 'node:crypto'
import type { ParameterizedContext } from 'koa'
import type { Clerk } from '../../clerk.ts'
import { activeSessions, type Client, createClient, findClientBySecret } from '../../entities/client.ts'
import { isActive, type Session } from '../../entities/session.ts'
import type { User } from '../../entities/user.ts'
import { signedOut } from '../../errors.ts'
import { clientFields } from '../../wire/client.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** Who is calling: the browser by its cookie, and in it the session that the script names, or the last active one. */
export function findClient(clerk: Clerk, ctx: ParameterizedContext): Client | undefined {
  if (ctx.state.client) return ctx.state.client as Client
  const secret = ctx.cookies.get('__client')
  return secret ? findClientBySecret(clerk, secret) : undefined
}

export function findOrCreateClient(clerk: Clerk, ctx: ParameterizedContext): Client {
  const found = findClient(clerk, ctx)
  if (found) return found
  const { client, secret } = createClient(clerk)
  ctx.state.client = client
  setCookie(ctx, '__client', secret, { httpOnly: true })
  return client
}

export function requireSession(
  clerk: Clerk,
  ctx: ParameterizedContext,
): { client: Client; session: Session; user: User } {
  const client = findClient(clerk, ctx)
  if (!client) throw signedOut()
  const id = ctx.query._clerk_session_id
  const sessions = activeSessions(clerk, client)
  const session = sessions.find(
    (row) => row.id === (typeof id === 'string' ? id : client.last_active_session_id),
  )
  const user = clerk.store.users.get(session?.user_id)
  if (!session || !user || !isActive(session)) throw signedOut()
  session.last_active_at = Date.now()
  user.last_active_at = session.last_active_at
  return { client, session, user }
}

/** Every answer brings the browser's whole state along, which its script adopts. */
export async function respond(clerk: Clerk, ctx: ParameterizedContext, response: unknown): Promise<void> {
  const client = findClient(clerk, ctx)
  setUpdatedAtCookies(clerk, ctx, client)
  ctx.body = {
    response,
    client: client ? await clientFields(clerk, client, { azp: callerOrigin(clerk, ctx) }) : null,
  }
}

/** The origin of the page that calls, which its tokens are for. */
export function callerOrigin(clerk: Clerk, ctx: ParameterizedContext): string {
  const named = originOf(ctx.get('origin')) ?? originOf(ctx.get('referer'))
  if (named) return named
  const host = ctx.get('x-forwarded-host')
  if (host) return `${ctx.get('x-forwarded-proto') || 'http'}://${host}`
  return clerk.settings.origin
}

/** When the browser's state last changed, for servers that decide by cookies; 0 is signed out. */
function setUpdatedAtCookies(clerk: Clerk, ctx: ParameterizedContext, client: Client | undefined): void {
  const latest = client ? Math.max(0, ...activeSessions(clerk, client).map((row) => row.created_at)) : 0
  const value = String(Math.floor(latest / 1000))
  const suffix = createHash('sha1').update(clerk.settings.publishableKey).digest('base64url').slice(0, 8)
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
