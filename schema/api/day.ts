import * as z from 'zod/mini'

/** Of this millennium: not every day that can be written can be computed with, and Postgres has no year 0. */
export const daySchema = z.iso.date().check(
  z.regex(/^2/, 'Give a day of this millennium, such as 2026-11-25'),
  // In the OpenAPI document the two patterns take the place of the format.
  z.meta({ format: 'date' }),
)
