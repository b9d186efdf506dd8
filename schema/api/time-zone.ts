import * as z from 'zod/mini'

/** The name of a time zone, such as `Europe/Berlin`. Offsets are refused: they know no summer time. */
export const timeZoneSchema = z
  .string()
  .check(
    z.maxLength(64),
    z.regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/),
    z.refine(isTimeZone, 'Name a time zone such as Europe/Berlin'),
  )

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
