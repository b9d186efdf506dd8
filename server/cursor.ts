import { z } from 'zod'
import { invalidCursor } from './errors.ts'

/** Where the next page of a list begins: one word for callers, and checked like everything that they send. */
export function cursorOf<Schema extends z.ZodType>(schema: Schema) {
  return {
    encode: (place: z.input<Schema>): string => Buffer.from(JSON.stringify(place)).toString('base64url'),
    decode(cursor: string): z.output<Schema> {
      try {
        return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
      } catch {
        throw invalidCursor()
      }
    },
  }
}

/**
 * A time as Postgres has it, to the microsecond: a Date would put rows of one millisecond in no order. It is
 * of this millennium, because not every time that can be written can be computed with.
 */
export const cursorTimeSchema = z
  .string()
  .regex(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .refine((text) => !Number.isNaN(Date.parse(text)))

/** What rows of one time are told apart by. Postgres knows no text with NUL. */
export const cursorKeySchema = z
  .string()
  .max(300)
  .regex(/^[^\0]*$/)
