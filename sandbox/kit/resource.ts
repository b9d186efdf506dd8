import type { Router, RouterContext } from '@koa/router'

type Resource<Call, Row, Answer> = {
  path: string
  id?: string
  /** How the service carries out a call and sends its result. */
  handle: (work: (call: Call) => Answer) => (context: RouterContext) => unknown
  /** Throws the service's own error when it does not exist. */
  find: (call: Call) => Row
  show: (row: Row, call: Call) => Answer
  list?: (call: Call) => Answer
  update?: ((row: Row, call: Call) => Answer) | undefined
  updateVerb?: 'patch' | 'post'
}

/** The routes that nearly every resource has: list, find by id, and update. */
export function resourceRoutes<Call, Row, Answer>(
  router: Router,
  { path, id = ':id', handle, find, show, list, update, updateVerb = 'post' }: Resource<Call, Row, Answer>,
): void {
  const one = `${path}/${id}`
  if (list) router.get(path, handle(list))
  router.get(
    one,
    handle((call) => show(find(call), call)),
  )
  if (update) {
    router[updateVerb](
      one,
      handle((call) => update(find(call), call)),
    )
  }
}
