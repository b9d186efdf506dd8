import * as z from 'zod/mini'
import { daySchema } from './day.ts'
import { endpoint } from './endpoint.ts'
import { payerSchema } from './ids.ts'

/** What usage is grouped by; an editor is its token. */
export const usageGroups = ['day', 'model', 'project', 'editor', 'person'] as const
export type UsageGroup = (typeof usageGroups)[number]

/** Days that one call may ask about. */
const usageDaysMax = 366

const day_ms = 86_400_000

/** UTC days, both included. */
const usageQuery = z
  .strictObject({
    payer: z._default(payerSchema, 'personal'),
    from: daySchema,
    to: daySchema,
    group_by: z._default(z.enum(usageGroups), 'day'),
    format: z._default(z.enum(['json', 'csv']), 'json'),
  })
  .check(
    z.superRefine(({ from, to }, context) => {
      const days = (Date.parse(to) - Date.parse(from)) / day_ms + 1
      const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['to'], message })
      if (days < 1) refuse('to must not be before from')
      else if (days > usageDaysMax) refuse(`to must be at most ${usageDaysMax - 1} days after from`)
    }),
  )

const usageSumsSchema = z.object({
  /** Failed ones included. */
  requests: z.int(),
  /** Requests that cost nothing, because they failed. */
  failed: z.int(),
  credits: z.int(),
})

const usageRowSchema = z.extend(usageSumsSchema, {
  /**
   * The day, the model, the project, or the id of the token or the person. Null for usage without a label,
   * and for what has no row of its own.
   */
  id: z.nullable(z.string()),
  label: z.string(),
  /** Whose editor it is, or the address of a person with a name; otherwise null. */
  note: z.nullable(z.string()),
})
export type UsageRow = z.infer<typeof usageRowSchema>

const usageResponse = z.object({
  success: z.literal(true),
  data: z.object({
    group_by: z.enum(usageGroups),
    /** Days with usage, the latest first; otherwise the 100 largest groups and, as `Other`, the rest. */
    rows: z.array(usageRowSchema),
    /** The sum of the rows. */
    total: usageSumsSchema,
  }),
})
export type UsageReport = z.infer<typeof usageResponse>['data']

/** The columns of the file, in their order: a row for each day and group, the latest days first. */
export const usageColumns: Readonly<Record<UsageGroup, readonly string[]>> = {
  day: ['day', 'requests', 'failed', 'credits'],
  model: ['day', 'model', 'requests', 'failed', 'credits'],
  project: ['day', 'project', 'requests', 'failed', 'credits'],
  editor: ['day', 'editor', 'person', 'editor_id', 'requests', 'failed', 'credits'],
  person: ['day', 'person', 'email', 'person_id', 'requests', 'failed', 'credits'],
}

export const getUsageReport = endpoint({
  method: 'GET',
  path: '/api/usage',
  summary:
    'Usage of a payer’s credits: requests, failed ones and credits by UTC day, model, project, editor or person; members of an organization get their own; with format=csv a file of every day',
  auth: 'user',
  limit: 'read',
  query: usageQuery,
  response: usageResponse,
  or_file: 'text/csv',
})

/** The same call with `format=csv`. */
export const exportUsageReport = endpoint({ ...getUsageReport, file: 'text/csv', response: z.string() })
