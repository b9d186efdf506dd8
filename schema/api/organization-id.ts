import { z } from 'zod'

/** Clerk's id of an organization, e.g. `org_2abc`. A claim: each route asks whether the caller belongs there. */
export const organizationIdSchema = z
  .string()
  .max(64)
  .regex(/^org_[A-Za-z0-9]+$/)
