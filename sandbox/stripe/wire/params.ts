import { z } from 'zod'
import { invalidRequest, type StripeFault } from '../errors.ts'
import type { Form } from './form.ts'

/** Parses a call's parameters; errors have Stripe's words and name the parameter in bracket form. */
export function readParams<T extends z.ZodType>(schema: T, form: Form): z.output<T> {
  const result = schema.safeParse(form)
  if (result.success) return result.data
  throw faultFor(result.error.issues[0], form)
}

export const text = z.string().max(5000)
/** Text whose empty value unsets the field. */
export const clearable = text.transform((value) => (value === '' ? null : value))
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/, 'Invalid integer')
  .transform(Number)
export const flag = z.enum(['true', 'false'], 'Invalid boolean').transform((value) => value === 'true')
const currencies = new Set(Intl.supportedValuesOf('currency'))
export const currency = z
  .string()
  .toLowerCase()
  .refine(
    (code) => currencies.has(code.toUpperCase()),
    'Invalid currency: it must be a three-letter ISO code',
  )
export const webUrl = z
  .string()
  .max(5000)
  .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'Not a valid URL')
export const metadata = z.union([
  z.literal('').transform(() => null),
  z.record(
    z.string().max(40, 'Metadata keys can have up to 40 characters'),
    z.string().max(500, 'Metadata values can have up to 500 characters'),
  ),
])
export const range = z.strictObject({
  gt: integer.optional(),
  gte: integer.optional(),
  lt: integer.optional(),
})
export const pagination = {
  limit: integer
    .refine((limit) => limit >= 1 && limit <= 100, 'Invalid limit: it must be from 1 to 100')
    .optional(),
  starting_after: text.optional(),
}

export function isWithin(value: number, { gt, gte, lt }: z.output<typeof range> = {}): boolean {
  return (
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt)
  )
}

function faultFor(issue: z.core.$ZodIssue | undefined, form: Form): StripeFault {
  if (!issue) throw new Error('A refused parameter must say why.')
  if (issue.code === 'unrecognized_keys') {
    const param = bracketed([...issue.path, issue.keys[0] ?? ''])
    return invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  }
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.at(-1)?.[0]
    if (inner) return faultFor({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue, form)
  }
  const param = bracketed(issue.path)
  const value = issue.path.reduce<unknown>((at, key) => (at as Form | undefined)?.[key as string], form)
  if (value === undefined) {
    return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  }
  const code = issue.message.startsWith('Invalid integer')
    ? 'parameter_invalid_integer'
    : issue.message === 'Not a valid URL'
      ? 'url_invalid'
      : undefined
  return invalidRequest(
    typeof value === 'string' ? `${issue.message}: ${value}` : `Invalid ${param}: ${issue.message}`,
    {
      param,
      ...(code && { code }),
    },
  )
}

function bracketed([first, ...rest]: readonly PropertyKey[]): string {
  return String(first ?? '') + rest.map((key) => `[${String(key)}]`).join('')
}
