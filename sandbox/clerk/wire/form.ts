import type { ParameterizedContext } from 'koa'
import { z } from 'zod'
import { fieldError } from '../errors.ts'

/** Reads a body, form or JSON, or throws the service's own error for the first field that is wrong. */
export function readForm<Schema extends z.ZodType>(
  ctx: ParameterizedContext,
  schema: Schema,
): z.output<Schema> {
  return parse((ctx.request as { body?: unknown }).body ?? {}, schema)
}

export function readQuery<Schema extends z.ZodType>(
  ctx: ParameterizedContext,
  schema: Schema,
): z.output<Schema> {
  return parse(ctx.query, schema)
}

function parse<Schema extends z.ZodType>(input: unknown, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const name = issue?.path.filter((part) => typeof part === 'string').join('.') || 'body'
  if (issue?.code === 'invalid_type' && issue.input === undefined) {
    throw fieldError(name, 'form_param_missing', `${name} must be included.`)
  }
  if (issue?.code === 'too_big')
    throw fieldError(name, 'form_param_max_length_exceeded', `${name} is too long.`)
  throw fieldError(name, 'form_param_format_invalid', messageFor(name))
}

function messageFor(name: string): string {
  return name.endsWith('email_address') || name === 'identifier'
    ? 'Email address must be a valid email address.'
    : `${name} is invalid`
}

/** One value or a repeated key. */
export function oneOrMany<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value) => (Array.isArray(value) || value === undefined ? value : [value]),
    z.array(item),
  )
}

/** Metadata: an object in JSON bodies, a JSON text in forms. */
export const metadataField = z
  .preprocess(
    (value) => (typeof value === 'string' ? jsonOrValue(value) : value),
    z.record(z.string(), z.unknown()),
  )
  .optional()

export const emailField = z.string().trim().toLowerCase().max(254).pipe(z.email())
export const nameField = z.string().trim().max(256)
export const slugField = z
  .string()
  .trim()
  .max(100)
  .regex(/^[a-z0-9-]*$/)
export const passwordField = z.string().max(512)
export const roleField = z.enum(['org:admin', 'org:member'])
export const booleanField = z.union([
  z.boolean(),
  z.enum(['true', 'false']).transform((value) => value === 'true'),
])

function jsonOrValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(10),
  offset: z.coerce.number().int().min(0).default(0),
})

/** The part of a list that was asked for, the newest first, and the size of the whole. */
export function page<Row extends { created_at: number }, Shown>(
  rows: readonly Row[],
  { limit, offset }: z.output<typeof pageQuery>,
  show: (row: Row) => Shown,
): { data: Shown[]; total_count: number } {
  const data = newestFirst(rows).slice(offset, offset + limit)
  return { data: data.map(show), total_count: rows.length }
}

export function newestFirst<Row extends { created_at: number }>(rows: readonly Row[]): Row[] {
  // Rows are in insertion order, so reversing first keeps rows with equal times in order.
  return [...rows].reverse().sort((a, b) => b.created_at - a.created_at)
}
