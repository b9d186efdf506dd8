import * as z from 'zod/mini'
import {
  creditPurchaseProblem,
  maximumPurchaseCredits,
  minimumPurchaseCredits,
} from '../catalogue/credits.ts'
import { endpoint } from './endpoint.ts'
import { payerSchema } from './ids.ts'
import { timeZoneSchema } from './time-zone.ts'

/** A number of credits on sale. Its messages are shown to customers. */
export const purchasableCreditsSchema = z
  .pipe(
    z.unknown().check(
      z.superRefine((value, context) => {
        const problem = creditPurchaseProblem(value)
        if (problem) context.addIssue({ code: 'custom', message: problem })
      }),
    ),
    z.transform((value) => value as number),
  )
  .check(z.meta({ type: 'integer', minimum: minimumPurchaseCredits, maximum: maximumPurchaseCredits }))

/** Shown for a text that was erased. */
export const erasedText = 'Text erased'

const creditSumsSchema = z.object({
  /** Usage, above zero. */
  used: z.int(),
  /** Bought, included in a plan or given back, above zero. */
  granted: z.int(),
})

/** The latest days of a summary of usage. */
export const usageDays = {
  /** IANA name; days and months begin when they begin there. */
  time_zone: z._default(timeZoneSchema, 'UTC'),
  days: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(90)), 30),
}

export const getUsageSummary = endpoint({
  method: 'GET',
  path: '/api/credits/usage-summary',
  summary:
    'Credits used and granted on each of the latest days, this month and last month; of an organization for its members',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ payer: z._default(payerSchema, 'personal'), ...usageDays }),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      time_zone: z.string(),
      /** Oldest first, today last. */
      days: z.array(z.extend(creditSumsSchema, { date: z.iso.date() })),
      this_month: creditSumsSchema,
      last_month: creditSumsSchema,
      /** Used on an average one of `days`, to one decimal. */
      daily_average: z.number(),
    }),
  }),
})
export type UsageSummary = z.infer<typeof getUsageSummary.response>['data']
