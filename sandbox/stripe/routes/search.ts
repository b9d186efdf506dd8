import type { Router } from '@koa/router'
import type { Collection } from '../../kit/store.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { integer, text } from '../wire/params.ts'

const searchParams = {
  limit: integer
    .refine((limit) => limit >= 1 && limit <= 100, 'Invalid limit: it must be from 1 to 100')
    .optional(),
  page: text.optional(),
  query: text,
}

/** "Under normal operating conditions, data is searchable in under 1 minute" (docs.stripe.com/search). */
const freshness_s = 60

/** The query fields of https://docs.stripe.com/search#query-fields-for-charges that the product uses. */
const chargeFields = [
  'amount',
  'created',
  'currency',
  'customer',
  'payment_method_details.card.last4',
  'status',
]
/** https://docs.stripe.com/search#query-fields-for-invoices */
const invoiceFields = ['created', 'currency', 'customer', 'number', 'status', 'total']

export function searchRoutes(router: Router, service: Service): void {
  const { store, clock } = service
  const call = callsOf(router, service)

  const searchable = <Row extends { id: string; created: number }>(
    resource: string,
    table: Collection<Row>,
    fields: readonly string[],
  ) => {
    const url = `/v1/${resource}/search` as const
    call(`GET ${url}`, searchParams, ({ params: { query, limit = 10 } }) => {
      const clauses = parse(query, { resource, fields })
      const found = [...table.newestFirst()].filter(
        (row) => row.created <= clock.now() - freshness_s && clauses.every((holds) => holds(row)),
      )
      const data = found.slice(0, limit)
      return { object: 'search_result', url, data, has_more: found.length > limit, next_page: null }
    })
  }

  searchable('charges', store.charges, chargeFields)
  searchable('invoices', store.invoices, invoiceFields)
}

/**
 * Clauses that all hold, with `AND` or a space between them. `OR`, `-` and `~` are not used and refused; a number equals
 * by `:` (https://docs.stripe.com/search#query-fields-for-charges).
 */
function parse(
  query: string,
  { resource, fields }: { readonly resource: string; readonly fields: readonly string[] },
): ((row: object) => boolean)[] {
  const clause = /\s*(?:AND\s+)?([\w.]+)(:|>=|<=|>|<)(?:"([^"]*)"|([\w-]+))(?=\s|$)/y
  const clauses: ((row: object) => boolean)[] = []
  while (clause.lastIndex < query.length) {
    const [, field = '', operator = '', quoted, bare] = clause.exec(query) ?? []
    if (!operator) throw invalidRequest('We were unable to parse your search query.', { param: 'query' })
    if (!fields.includes(field)) {
      throw invalidRequest(
        `Field \`${field}\` is an unsupported search field for resource \`${resource}\`. See http://stripe.com/docs/search#query-fields-for-${resource} for a list of supported fields.`,
        { param: 'query' },
      )
    }
    clauses.push((row) => compare(fieldOf(row, field), operator, quoted ?? bare ?? ''))
  }
  return clauses
}

function fieldOf(row: object, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  }, row)
}

/** Strings are compared without their case. */
function compare(value: unknown, operator: string, wanted: string): boolean {
  if (typeof value !== 'number') return String(value).toLowerCase() === wanted.toLowerCase()
  const number = Number(wanted)
  switch (operator) {
    case '>':
      return value > number
    case '>=':
      return value >= number
    case '<':
      return value < number
    case '<=':
      return value <= number
    default:
      return value === number
  }
}
