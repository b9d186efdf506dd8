import * as z from 'zod/mini'
import { daySchema } from './day.ts'
import { endpoint } from './endpoint.ts'
import { findingKinds } from './findings.ts'
import { ownerIdSchema } from './ids.ts'
import { moneySchema, ownerSchema } from './support.ts'
import { adjustmentSchema } from './support-acts.ts'

/** The act that repairs it: the input of `POST /api/support/acts` without reason and id. */
const repairSchema = z.object({
  kind: z.enum(['replay', 'resync', 'adjust', 'cancel_subscription']),
  target: z.object({
    kind: z.enum(['event', 'intent', 'subscription', 'invitation', 'charge', 'user', 'organization']),
    id: z.string(),
  }),
  params: z.object({ adjustment: z.optional(adjustmentSchema) }),
})
export type Repair = z.infer<typeof repairSchema>

const findingSchema = z.object({
  id: z.uuid(),
  kind: z.enum(findingKinds),
  /** `cs_…`, `in_…`, `ch_…`, `dp_…`, `sub_…`, an intent, grant, seat or event. Unique with `kind`. */
  object_id: z.string(),
  /** Null when there is no matching customer. */
  owner: z.nullable(ownerSchema),
  /** The figures of its kind: `findingData` parses them, `web/content/support/findings.ts` says them. */
  data: z.record(z.string(), z.unknown()),
  /** At stake; null where it is not about money, or not known. */
  money: z.nullable(moneySchema),
  /** Missing credits, below zero for too many; null without credits or when unknown. */
  credits: z.nullable(z.int()),
  /** Null when only a person can decide. */
  repair: z.nullable(repairSchema),
  first_seen_at: z.iso.datetime(),
  /** When a later comparison no longer found it; null while it is open. */
  gone_at: z.nullable(z.iso.datetime()),
})
export type Finding = z.infer<typeof findingSchema>

const runSchema = z.object({
  id: z.uuid(),
  /** `waiting`: a worker begins it within a minute. `failed`: see `error`. */
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  /** `schedule`, `cli:…`, or the name of who pressed the button. */
  requested_by: z.string(),
  began_at: z.iso.datetime(),
  ended_at: z.nullable(z.iso.datetime()),
  /** How many of each were compared so far, e.g. `sessions`, `invoices`, `owners`. */
  compared: z.array(z.object({ what: z.string(), count: z.int() })),
  /** Differences found, including known ones. */
  findings: z.int(),
  error: z.nullable(z.string()),
})
export type ReconciliationRun = z.infer<typeof runSchema>

export const listFindings = endpoint({
  method: 'GET',
  path: '/api/support/findings',
  summary:
    'Differences between Stripe, Clerk, the facts, the books and the seats, the oldest first, and the run that found them',
  auth: 'support',
  limit: 'read',
  query: z.strictObject({
    kind: z.optional(z.enum(findingKinds)),
    owner: z.optional(ownerIdSchema),
    state: z._default(z.enum(['open', 'gone']), 'open'),
    limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(200)), 50),
    cursor: z.optional(z.string().check(z.maxLength(200))),
  }),
  response: z.object({
    findings: z.array(findingSchema),
    next_cursor: z.nullable(z.string()),
    /** All open findings, whatever the filter. */
    counts: z.array(
      z.object({
        kind: z.enum(findingKinds),
        count: z.int(),
        money: z.array(moneySchema),
        /** Total missing credits and total surplus credits, both above zero. */
        credits_missing: z.int(),
        credits_too_many: z.int(),
      }),
    ),
    /** Null before the first. */
    last_run: z.nullable(runSchema),
    /** No differences up to the end of this day (UTC); null when no run has proven anything yet. */
    proven_day: z.nullable(z.iso.date()),
  }),
})
export type FindingsList = z.infer<(typeof listFindings)['response']>

export const requestReconciliation = endpoint({
  method: 'POST',
  path: '/api/support/reconciliation/runs',
  summary: 'Asks for a comparison now; while one is waiting or running, that one is answered',
  auth: 'support',
  limit: 'write',
  body: z.strictObject({}),
  response: z.object({ run: runSchema }),
})

// Of this millennium, as `daySchema`.
const monthSchema = z.string().check(z.regex(/^2\d{3}-(0[1-9]|1[0-2])$/, 'Give a month such as 2026-11'))

/** Minor units per currency, from the day's balance transactions; deductions are above zero. */
const moneyOfDaySchema = z.object({
  /** Upper case. */
  currency: z.string(),
  payments: z.int(),
  gross_minor: z.int(),
  refunded_minor: z.int(),
  /** Withdrawn for disputes, less reinstated money. */
  disputed_minor: z.int(),
  /** `gross − refunded − disputed`. */
  net_minor: z.int(),
  /** What our facts of the day say came in: purchases of credits, and invoices of plans. */
  credits_sold_minor: z.int(),
  plans_paid_minor: z.int(),
  /** Payments for something else that is sold through the same account. */
  foreign_minor: z.int(),
  /** `gross − foreign − credits_sold − plans_paid`: zero, or `unexplained` names the objects. */
  difference_minor: z.int(),
})

/** What Stripe added to the balance, in the currencies that it is kept in, fees taken off. */
const balanceOfDaySchema = z.object({
  currency: z.string(),
  gross_minor: z.int(),
  fees_minor: z.int(),
  net_minor: z.int(),
})

/** Whole credits. `sold` and `granted` add, the others are deducted; reversals are subtracted. */
const creditsOfDaySchema = z.object({
  sold: z.int(),
  granted: z.int(),
  used: z.int(),
  expired: z.int(),
  refunded: z.int(),
  disputed: z.int(),
  /** Added, below zero taken away. */
  written_off: z.int(),
  adjusted: z.int(),
  /** The change of all owners' balances. */
  change_plan: z.int(),
  change_purchased: z.int(),
  /** What requests cost beyond what could be charged when their holds were settled; no debt. */
  uncollected: z.int(),
  /**
   * `sold + granted + written_off + adjusted − used − expired − refunded − disputed − change_plan −
   * change_purchased`: zero.
   */
  difference: z.int(),
  transfers: z.int(),
})

const statementDaySchema = z.object({
  date: z.iso.date(),
  /** `closed`: proven, and never changes again. `open`: computed now. */
  state: z.enum(['closed', 'open']),
  /** Null while Stripe's list of the day has not been read: the day is not over, or the next run reads it. */
  money: z.nullable(z.array(moneyOfDaySchema)),
  balance: z.nullable(z.array(balanceOfDaySchema)),
  credits: creditsOfDaySchema,
  /** Whether everything sums to zero; null where `money` is. */
  agrees: z.nullable(z.boolean()),
  /** Objects that one side has and the other has not, a hundred at most. */
  unexplained: z.array(
    z.object({
      object_id: z.string(),
      amount_minor: z.int(),
      currency: z.string(),
      /** The side that has nothing on this day; `none`: both have it, with different amounts. */
      missing: z.enum(['payment', 'record', 'none']),
      /** The day on which that side has it, where it has it at all. */
      other_day: z.nullable(z.iso.date()),
    }),
  ),
})
export type StatementDay = z.infer<typeof statementDaySchema>

/** One of the two; this month where neither is given. */
const statementQuery = z
  .strictObject({ day: z.optional(daySchema), month: z.optional(monthSchema) })
  .check(z.refine(({ day, month }) => !(day && month), { message: 'Give a day or a month' }))

export const getStatement = endpoint({
  method: 'GET',
  path: '/api/support/statement',
  summary:
    'Money that came in at Stripe beside credits sold, granted, used, expired and taken back, for each day (UTC)',
  auth: 'support',
  limit: 'read',
  query: statementQuery,
  response: z.object({
    /** Oldest first; days of the future are left out. */
    days: z.array(statementDaySchema),
  }),
})

export const exportStatement = endpoint({
  method: 'GET',
  path: '/api/support/statement/export',
  summary: 'The same as a file: a line for each day, figure and currency',
  auth: 'support',
  limit: 'write',
  query: statementQuery,
  file: 'text/csv',
  response: z.string(),
})
