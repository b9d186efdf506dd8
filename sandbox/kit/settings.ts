import { z } from 'zod'

/** Reads the variables of a service. Throws an error whose message names every one that is wrong. */
export function readVariables<Shape extends z.ZodRawShape>(
  service: string,
  shape: Shape,
  variables: Record<string, string | undefined>,
): z.output<z.ZodObject<Shape>> {
  const parsed = z.object(shape).safeParse(variables)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`sandbox/${service} cannot start, these variables are wrong:\n${lines.join('\n')}`)
}

/** An empty variable counts as not set. */
export function unlessEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema)
}

const httpUrl = z.url({ protocol: /^https?$/ })

/** An address, or empty for none. */
export function urlOrNone(byDefault: string) {
  return z
    .union([z.literal(''), httpUrl])
    .default(byDefault)
    .transform((url) => url || null)
}

export const portVariable = (byDefault: number) =>
  z.coerce.number().int().min(0).max(65_535).default(byDefault)
