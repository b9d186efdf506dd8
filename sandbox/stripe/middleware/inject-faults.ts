import type { Middleware } from 'koa'
import { StripeFault } from '../errors.ts'
import type { Service } from '../service.ts'

/** Fails the calls that a knob has marked: before anything is done, or after everything is. */
export function injectFaults({ faults, store }: Service): Middleware {
  return async (context, next) => {
    const fault = faults.take({ path: context.path, method: context.method })
    if (fault?.status) throw faultWithStatus(fault.status)
    await next()
    if (!fault?.drop_after) return
    store.flush()
    context.respond = false
    context.req.socket.destroy()
  }
}

function faultWithStatus(status: number): StripeFault {
  return status === 429
    ? new StripeFault(429, {
        type: 'invalid_request_error',
        code: 'rate_limit',
        message: 'Request rate limit exceeded.',
      })
    : new StripeFault(status, {
        type: 'api_error',
        message: 'Sorry! There was an error while talking to one of our backends.',
      })
}
