import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { invalidRequest } from '../errors.ts'
import { readText } from '../wire/form.ts'

/** The knobs speak JSON; an empty body is an empty object. */
export async function readJson<T extends z.ZodType>(context: RouterContext, schema: T): Promise<z.output<T>> {
  const text = await readText(context.req)
  const result = schema.safeParse(parseJson(text))
  if (!result.success) throw invalidRequest(z.prettifyError(result.error))
  return result.data
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw invalidRequest('The body is not JSON.')
  }
}
