import { z } from 'zod'
import type { Endpoint } from '../../schema/api/endpoint.ts'
import type { AppMiddleware } from '../context.ts'
import { invalidRequest, type ServerError } from '../errors.ts'
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

function parse(schema: z.core.$ZodType, value: unknown): unknown {
  const result = z.safeParse(schema, value)
  if (!result.success) throw invalidFields(result.error.issues)
  return result.data
}

/** Custom issues keep the product's texts, which people read; zod's become a plain sentence. */
function invalidFields(issues: readonly z.core.$ZodIssue[]): ServerError {
  const first = issues.find((issue) => issue.code === 'custom') ?? issues[0]
  const text = first
    ? first.code === 'custom'
      ? first.message
      : sentence(first)
    : 'The request is not valid'
  const code = first?.code === 'custom' ? first.params?.error_code : undefined
  return invalidRequest(
    text,
    issues.map((issue) => ({
      path: pathOf(issue) || (issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : ''),
      message: issue.code === 'custom' ? issue.message : sentence(issue),
    })),
    typeof code === 'string' ? code : undefined,
  )
}

function sentence(issue: z.core.$ZodIssue): string {
  const field = pathOf(issue) || 'The request'
  if (issue.code === 'unrecognized_keys') return `Unknown field: ${issue.keys.join(', ')}`
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return isMissing ? `${field} is required` : `${field} is not valid: ${issue.message}`
}

function pathOf(issue: z.core.$ZodIssue): string {
  return issue.path.join('.')
}
