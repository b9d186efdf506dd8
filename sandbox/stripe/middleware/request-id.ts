import type { Middleware } from 'koa'
import { newId } from '../ids.ts'
import { api_version } from '../objects/event.ts'

/** Every answer of the API says which request it was and which version it speaks. */
export const requestId: Middleware = async (context, next) => {
  context.state.request_id = newId('req', 14)
  context.set('request-id', context.state.request_id)
  context.set('stripe-version', api_version)
  context.set('cache-control', 'no-cache, no-store')
  await next()
}
