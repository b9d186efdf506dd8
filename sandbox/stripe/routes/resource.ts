import type { Router } from '@koa/router'
import type Stripe from 'stripe'
import type { z } from 'zod'
import { defined } from '../../kit/defined.ts'
import type { Collection } from '../../kit/store.ts'
import { changedFields, emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { existing } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import { type Asked, callsOf } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { isWithin, pagination } from '../wire/params.ts'

type Resource<
  Row extends { id: string },
  Shape extends z.ZodRawShape,
  Changes extends z.ZodRawShape = never,
> = {
  path: `/v1/${string}`
  /** What Stripe's errors call it. */
  noun: string
  table: Collection<Row>
  /** What a list may be narrowed by. Each is compared with the field of its name, unless `where` says how. */
  filters: Shape
  where?: { [Name in keyof Shape]?: (row: Row, value: NonNullable<z.output<Shape[Name]>>) => boolean }
  isListed?: (row: Row, asked: Asked<Shape>) => boolean
  /** What an update takes, and what it does. */
  changes?: Changes
  update?: (row: Row, call: { params: Asked<Changes>; cause: Cause }) => object
}

/** List, find and update under Stripe's conventions. Returns how to find one by its id. */
export function resource<
  Row extends { id: string },
  Shape extends z.ZodRawShape,
  Changes extends z.ZodRawShape = never,
>(
  router: Router,
  service: Service,
  {
    path,
    noun,
    table,
    filters,
    where = {},
    isListed = () => true,
    changes,
    update,
  }: Resource<Row, Shape, Changes>,
): (id: string) => Row {
  const call = callsOf(router, service)
  const find = (id: string): Row => {
    const row = existing(table, noun, id)
    return row
  }
  const matches = (row: Row, name: string, value: unknown): boolean => {
    const own = where[name] as ((row: Row, value: unknown) => boolean) | undefined
    const field = (row as Record<string, unknown>)[name]
    if (own) return own(row, value)
    return name === 'created'
      ? isWithin(field as number, value as Parameters<typeof isWithin>[1])
      : field === value
  }
  call(`GET ${path}`, { ...pagination, ...filters }, ({ params }) => {
    const read = params as Asked<typeof pagination> & Asked<Shape>
    const asked = Object.keys(filters).flatMap((name) =>
      read[name] === undefined ? [] : [[name, read[name]] as const],
    )
    return listPage(table, read, {
      url: path,
      noun,
      matches: (row) => isListed(row, read) && asked.every(([name, value]) => matches(row, name, value)),
    })
  })
  call(`GET ${path}/:id`, {}, ({ id }) => find(id))
  if (changes && update) call(`POST ${path}/:id`, changes, ({ id, ...rest }) => update(find(id), rest))
  return find
}

/** Replaces the row, emits the event with the changed fields, and returns the new row. */
export function putUpdated<Row extends { id: string; metadata: Record<string, string> | null }>(
  service: Service,
  table: Collection<Row>,
  {
    before,
    changes = {},
    metadata,
    event,
    cause,
  }: {
    before: Row
    /** A field that is undefined stays as it is. */
    changes?: { [Name in keyof Row]?: Row[Name] | undefined }
    metadata: Record<string, string> | null | undefined
    event: Stripe.Event.Type
    cause: Cause
  },
): Row {
  const after = table.put({
    ...before,
    ...defined(changes),
    metadata: mergeMetadata(before.metadata, metadata),
  } as Row)
  emit(service, event, after, { cause, previous_attributes: changedFields(before, after) })
  return after
}
