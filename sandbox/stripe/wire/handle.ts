import type { RouterContext } from '@koa/router'
import type { Cause, World } from '../world.ts'
import { type Form, parseForm, readForm } from './form.ts'
import { once } from './once.ts'
import { checkExpand, render } from './render.ts'

export type Call = {
  /** The fields of the body, or of the query for GET and DELETE. */
  form: Form
  /** A named part of the path. */
  path(name: string): string
  cause: Cause
}

/** A call's own work: synchronous, so that two calls never mix, and blind to HTTP. */
export type Work = (call: Call) => object

/** The one way a call of the API is answered: read the form, do the work once per idempotency key, expand, answer. */
export function handle(world: World, work: Work) {
  return async (context: RouterContext) => {
    const form = context.method === 'POST' ? await readForm(context.req) : parseForm(context.querystring)
    const cause: Cause = {
      request_id: context.state.request_id,
      idempotency_key: context.get('idempotency-key') || null,
    }
    const expand = Array.isArray(form.expand) ? form.expand.map(String) : []
    const answer = () => {
      checkExpand(expand)
      const result = work({ form, cause, path: (name) => context.params[name] ?? '' })
      return render(world, result, expand)
    }
    context.body = context.method === 'POST' ? once(world, { context, form, cause, answer }) : answer()
  }
}
