import { z } from 'zod'

/** The name of a time zone, such as `Europe/Berlin`. An offset such as `+02:00` is none: it knows no summer time. */
export const timeZoneSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/)
  .refine(isTimeZone, 'not a time zone')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
