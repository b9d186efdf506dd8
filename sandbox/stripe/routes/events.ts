import type { Router } from '@koa/router'
import { z } from 'zod'
import { noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { flag, isWithin, pagination, range, readParams, text } from '../wire/params.ts'

const listParams = z.strictObject({
  ...pagination,
  created: range.optional(),
  delivery_success: flag.optional(),
  type: text.optional(),
  types: z.array(text).max(20, 'You can ask for at most 20 types').optional(),
})

export function eventRoutes(router: Router, service: Service): void {
  const { store, outbox } = service

  router.get(
    '/v1/events',
    handle(service, ({ form }) => {
      const { created, delivery_success, type, types, ...cursor } = readParams(listParams, form)
      return listPage(store.events, cursor, {
        url: '/v1/events',
        noun: 'event',
        matches: (event) =>
          (type === undefined || matchesType(event.type, type)) &&
          (types === undefined || types.some((wanted) => matchesType(event.type, wanted))) &&
          (delivery_success === undefined || (outbox.countPending(event.id) === 0) === delivery_success) &&
          isWithin(event.created, created),
      })
    }),
  )

  router.get(
    '/v1/events/:id',
    handle(service, ({ path }) => {
      const event = store.events.get(path('id'))
      if (!event) throw noSuch('event', path('id'))
      return event
    }),
  )
}

/** `charge.*` stands for all types that begin so. */
function matchesType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}
