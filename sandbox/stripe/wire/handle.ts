import { createHash } from 'node:crypto'
import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { idempotencyMismatch, invalidRequest, StripeFault } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import { hasObject } from '../state.ts'
import { type Form, parseForm, readForm } from './form.ts'
import { readParams, text } from './params.ts'
import { checkExpand, render } from './render.ts'

/** A call's own work: synchronous, so that two calls never mix, and blind to HTTP. */
export type Work<Params> = (call: { params: Params; id: string; cause: Cause }) => object

export type Asked<Shape extends z.ZodRawShape> = { [Name in keyof Shape]: z.output<Shape[Name]> }

/** Adds calls to a router, each with the parameters that it takes beside `expand`: any other is refused. */
export function callsOf(router: Router, service: Service) {
  return <Shape extends z.ZodRawShape>(
    name: `${'DELETE' | 'GET' | 'POST'} /v1/${string}`,
    shape: Shape,
    work: Work<Asked<Shape>>,
  ): void => {
    const [method = '', path = ''] = name.split(' ')
    const schema: z.ZodType = z.strictObject({ expand: z.array(text).optional(), ...shape })
    router.register(path, [method], handle(service, schema as z.ZodType<Read>, work as Work<unknown>))
  }
}

type Read = { expand?: string[] | undefined }

/** Handles an API call: read the form, work once per idempotency key, expand, answer. */
function handle(service: Service, schema: z.ZodType<Read>, work: Work<unknown>) {
  return async (context: RouterContext) => {
    const form = context.method === 'POST' ? await readForm(context.req) : parseForm(context.querystring)
    const cause: Cause = {
      request_id: context.state.request_id,
      idempotency_key: context.get('idempotency-key') || null,
    }
    const answer = () => {
      checkExpand(Array.isArray(form.expand) ? form.expand.map(String) : [])
      try {
        const { expand, ...params } = readParams(schema, form)
        return render(service, work({ params, cause, id: context.params.id ?? '' }), expand)
      } catch (error) {
        throw tellOfOtherMode(service, error)
      }
    }
    context.body = context.method === 'POST' ? once(service, { context, form, cause, answer }) : answer()
  }
}

/**
 * An object of the other mode, as Stripe reports it:
 * https://github.com/woocommerce/woocommerce-gateway-stripe/issues/3109
 */
function tellOfOtherMode(service: Service, error: unknown): unknown {
  if (!(error instanceof StripeFault) || error.body.code !== 'resource_missing') return error
  const [, id = ''] = /^No such .*: '(.+)'$/.exec(error.body.message) ?? []
  const other = service.otherMode()
  if (!hasObject(other.store, id)) return error
  const name = (livemode: boolean) => (livemode ? 'live mode' : 'test mode')
  const there = `a similar object exists in ${name(other.livemode)}, but a ${name(service.livemode)} key was used to make this request.`
  return new StripeFault(error.status, { ...error.body, message: `${error.body.message}; ${there}` })
}

const longest_key = 255

/**
 * Stripe's idempotency: the first answer to a key is stored and returned when the call is repeated; the same
 * key with other parameters is an error. A call that was refused for its parameters is not kept, since
 * nothing was done.
 */
function once(
  { store }: Service,
  {
    context,
    form,
    cause,
    answer,
  }: { context: RouterContext; form: Form; cause: Cause; answer: () => object },
): unknown {
  const key = cause.idempotency_key
  if (key === null) return answer()
  if (key.length > longest_key) {
    throw invalidRequest(`Idempotency keys can have up to ${longest_key} characters.`)
  }
  context.set('idempotency-key', key)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([context.method, context.path, form]))
    .digest('hex')
  const kept = store.answers.get(key)
  if (kept) {
    if (kept.fingerprint !== fingerprint) throw idempotencyMismatch(key)
    context.set('idempotent-replayed', 'true')
    context.set('original-request', kept.request_id)
    context.status = kept.status
    return kept.body
  }
  const body = answer()
  const request_id = cause.request_id ?? ''
  store.answers.put({ id: key, fingerprint, body, request_id, status: 200, created_at_ms: Date.now() })
  return body
}
