import type { Router } from '@koa/router'
import { z } from 'zod'
import { invalidRequest } from '../errors.ts'
import { readText } from '../wire/form.ts'

/**
 * Adds knobs to a router: `POST /_sandbox/<path>`. They speak JSON, where an empty body is an empty object; a key
 * that a knob does not know is refused.
 */
export function knobsOf(router: Router) {
  return <Shape extends z.ZodRawShape>(
    path: string,
    shape: Shape,
    turn: (body: z.output<z.ZodObject<Shape>>, id: string) => object | Promise<object>,
  ): void => {
    const schema = z.strictObject(shape)
    router.post(`/_sandbox/${path}`, async (context) => {
      const body = readBody(await readText(context.req), schema) as z.output<z.ZodObject<Shape>>
      context.body = await turn(body, context.params.id ?? '')
    })
  }
}

export function readBody<T extends z.ZodType>(text: string, schema: T): z.output<T> {
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
