import type { Middleware } from 'koa'
import { invalidRequest } from '../errors.ts'
import { api_version } from '../objects/event.ts'

/** A secret or restricted key, as bearer token or as the user name of basic authentication. */
export const authenticate: Middleware = async (context, next) => {
  const key = readKey(context.get('authorization'))
  if (key === null) {
    throw invalidRequest(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      { status: 401 },
    )
  }
  if (!/^(sk|rk)_\w+$/.test(key)) {
    throw invalidRequest(`Invalid API Key provided: ${key.slice(0, 7)}***`, { status: 401 })
  }
  const version = context.get('stripe-version')
  // Objects exist here in one shape only. Answering another version with it would be a quiet lie.
  if (version !== '' && version !== api_version) {
    throw invalidRequest(`Invalid Stripe API version: ${version}. The sandbox speaks ${api_version} only.`)
  }
  await next()
}

function readKey(header: string): string | null {
  const [scheme = '', credentials = ''] = header.split(' ')
  if (/^bearer$/i.test(scheme)) return credentials || null
  if (/^basic$/i.test(scheme)) return Buffer.from(credentials, 'base64').toString().split(':')[0] || null
  return null
}
