import type { Router } from '@koa/router'
import { z } from 'zod'
import { settingsOf } from '../entities/account.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { flag, range, text } from '../wire/params.ts'
import { resource } from './resource.ts'

export function eventRoutes(router: Router, service: Service): void {
  const { store, outbox } = service
  resource(router, service, {
    path: '/v1/events',
    noun: 'event',
    table: store.events,
    filters: {
      created: range.optional(),
      delivery_success: flag.optional(),
      type: text.optional(),
      types: z.array(text).max(20, 'You can ask for at most 20 types').optional(),
    },
    isListed: ({ id }, { type, types }) => {
      if (type !== undefined && types !== undefined) {
        throw invalidRequest('You may only specify one of these parameters: type, types.')
      }
      return !settingsOf(store).unlisted_events.includes(id)
    },
    where: {
      delivery_success: ({ id }, is_success) => (outbox.countPending(id) === 0) === is_success,
      type: ({ type }, wanted) => matchesType(type, wanted),
      types: ({ type }, wanted) => wanted.some((one) => matchesType(type, one)),
    },
  })
}

/** `charge.*` matches all types with that prefix. */
function matchesType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}
