import { z } from 'zod'
import type { Endpoint } from '../../schema/api/endpoint.ts'
import type { AppMiddleware } from '../context.ts'
import { invalidRequest } from '../errors.ts'
import { readFormBody, readJsonBody } from './read-body.ts'

/** Parses path, query and body once; the handler is called only with input that matches the endpoint. */
export function validate(endpoint: Endpoint): AppMiddleware {
  return async (ctx, next) => {
    if (endpoint.params) ctx.state.params = parse(endpoint.params, ctx.params)
    if (endpoint.query) ctx.state.query = parse(endpoint.query, ctx.query)
    if (endpoint.body) {
      const isForm = endpoint.form && ctx.is('application/x-www-form-urlencoded')
      ctx.state.body = parse(endpoint.body, await (isForm ? readFormBody(ctx) : readJsonBody(ctx)))
    }
    await next()
  }
}

/** Throws a 400 whose text is a sentence: the contract's own where it has one, else that of the first problem. */
export function parse(schema: z.core.$ZodType, value: unknown): unknown {
  const { success, data, error } = z.safeParse(schema, value, { error: sentence })
  if (success) return data
  const { issues } = error
  const first = issues.find(({ code }) => code === 'custom') ?? issues[0]
  const code = first?.code === 'custom' ? first.params?.error_code : undefined
  throw invalidRequest(
    first?.message ?? 'The request is not valid',
    issues.map((issue) => ({
      path: pathOf(issue) || (issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : ''),
      message: issue.message,
    })),
    typeof code === 'string' ? code : undefined,
  )
}

/** What is wrong with a field that has no text of its own in the contract. */
function sentence(issue: z.core.$ZodRawIssue): string {
  const field = pathOf(issue) || 'The request'
  if (issue.input === undefined) return `${field} is required`
  switch (issue.code) {
    case 'unrecognized_keys':
      return `Unknown field: ${issue.keys.join(', ')}`
    case 'invalid_type':
      return `${field} must be ${typeNames[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return `${field} must be ${choice.format(issue.values.map(String))}`
    case 'too_small':
      return `${field} must ${bound(issue, 'at least', issue.minimum)}`
    case 'too_big':
      return `${field} must ${bound(issue, 'at most', issue.maximum)}`
    case 'invalid_format':
      return `${field} must be ${formatNames[issue.format] ?? 'in the documented format'}`
    default:
      return `${field} is not valid`
  }
}

function pathOf({ path }: { readonly path?: readonly PropertyKey[] | undefined }): string {
  return (path ?? []).join('.')
}

const choice = new Intl.ListFormat('en-GB', { type: 'disjunction' })

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formatNames: Readonly<Record<string, string>> = {
  date: 'a day such as 2026-01-31',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  email: 'an email address',
  url: 'a complete address',
  uuid: 'a UUID',
}

/** `have at least 1 character`, `be at most 50` */
function bound({ origin }: { readonly origin: string }, limits: string, count: number | bigint): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : null
  return unit ? `have ${limits} ${count} ${unit}${count === 1 ? '' : 's'}` : `be ${limits} ${count}`
}
