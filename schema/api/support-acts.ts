import * as z from 'zod/mini'
import { currencySchema } from '../catalogue/schemas.ts'
import { endpoint } from './endpoint.ts'

/** Rows of ours, which are items of the timeline, or an owner. */
export const targetKinds = [
  'event',
  'intent',
  'subscription',
  'invoice',
  'invitation',
  'charge',
  'hold',
  'user',
  'organization',
] as const
export type TargetKind = (typeof targetKinds)[number]

/** The limit of one adjustment, with or without a second person. */
const maximumAdjustment = 10_000_000

export const adjustmentSchema = z.strictObject({
  /** Whole credits for the purchased account; below zero to deduct. */
  credits: z.int().check(
    z.minimum(-maximumAdjustment),
    z.maximum(maximumAdjustment),
    z.refine((credits) => credits !== 0, 'Credits must not be 0'),
  ),
  /** Shown in the customer's credit history. The reason is for colleagues only. */
  customer_note: z.string().check(z.trim(), z.minLength(3), z.maxLength(200)),
  /** Takes more than there is, and leaves a debt; a second person has to agree. */
  may_leave_debt: z._default(z.boolean(), false),
})
export type Adjustment = z.infer<typeof adjustmentSchema>

/** As Stripe names them. `fraudulent` also puts the card and the address on its block lists. */
const refundReasons = ['requested_by_customer', 'duplicate', 'fraudulent'] as const

export const refundSchema = z.strictObject({
  /** Minor units of the payment's currency. */
  amount_minor: z.int().check(z.minimum(1), z.maximum(100_000_000)),
  currency: currencySchema,
  /** What had been refunded of the payment when it was asked for: if that has changed, nothing is refunded. */
  refunded_minor: z.int().check(z.minimum(0)),
  /** Null where none of Stripe's fits. */
  stripe_reason: z.nullable(z.enum(refundReasons)),
})
export type Refund = z.infer<typeof refundSchema>

interface Act {
  /** What it can be done to. */
  readonly on: readonly TargetKind[]
  /** A person cannot ask for it on what is their own. */
  readonly not_on_own?: true
  /** What has to be said beside the target; nothing where it is left out. */
  readonly params?: z.ZodMiniType<ActParams>
}

/** As they are stored: by a name, so that several acts may have the same. */
export type ActParams = Readonly<Record<string, unknown>>

/** What support staff can do: `worker/support` does it, `web/content/support/acts.ts` says it. */
export const acts = {
  /** Tries again what one of these is about. */
  replay: { on: ['event', 'intent', 'subscription', 'invitation', 'charge'] },
  /** Fetches everything of an owner from Stripe and Clerk, and makes books and seats agree with it. */
  resync: {
    on: ['user', 'organization'],
    /** `stripe`: without people and seats, which cost Clerk a call for each. */
    params: z.strictObject({ only: z.optional(z.literal('stripe')) }),
  },
  /** Gives credits, or takes some away. */
  adjust: {
    on: ['user', 'organization'],
    not_on_own: true,
    params: z.strictObject({ adjustment: adjustmentSchema }),
  },
  /** Gives back money of a payment: of a checkout of credits, or of a plan's invoice. */
  refund: { on: ['intent', 'invoice'], not_on_own: true, params: z.strictObject({ refund: refundSchema }) },
  /** Ends a checkout that is stuck and was not paid. */
  cancel_intent: { on: ['intent'] },
  /** Ends a plan at Stripe whose owner is gone, or that is a second one of its owner. */
  cancel_subscription: { on: ['subscription'] },
  /** Ends any plan at Stripe at once. It cannot be undone, so a second person agrees. */
  end_plan: { on: ['subscription'] },
  /** Ends a plan with the period that is paid; its owner can undo it until then. */
  end_plan_later: { on: ['subscription'] },
  /** Charges the card on file for a plan's open invoice. */
  pay_invoice: { on: ['invoice'] },
  /** Gives up the money of a plan's open invoice. It cannot be undone, so a second person agrees. */
  void_invoice: { on: ['invoice'], not_on_own: true },
  /** Bills changes of a plan now that Stripe would bill with its next renewal. */
  invoice_changes: { on: ['subscription'] },
  /** Sends an open invitation once more. */
  resend_invitation: { on: ['invitation'] },
  /** Makes credits available again that are reserved for a request that will not end. */
  release_hold: { on: ['hold'] },
  /** Ends all tokens and sessions of a person, e.g. of one whose machine was stolen. */
  sign_out: { on: ['user'] },
  /** Erases a person. It cannot be undone, so a second person agrees, and it is one person at a time. */
  forget: { on: ['user'], not_on_own: true },
} as const satisfies Readonly<Record<string, Act>>
export type ActKind = keyof typeof acts
export const actKinds = Object.keys(acts) as [ActKind, ...ActKind[]]

/** Undefined for a kind that is none. */
export function actOf(kind: string): Act | undefined {
  return Object.hasOwn(acts, kind) ? acts[kind as ActKind] : undefined
}

const noParams = z.strictObject({})
/** Of any act, so that a request is bounded whatever its kind. */
const paramsOfActs: readonly z.ZodMiniType<ActParams>[] = [
  noParams,
  ...Object.values(acts).flatMap((act: Act) => act.params ?? []),
]

/** What was said beside the target, if it is what the act needs. */
export function parseParams({ kind, params }: { readonly kind: string; readonly params: unknown }) {
  return z.safeParse<z.ZodMiniType<ActParams>>(actOf(kind)?.params ?? noParams, params)
}

/** The credits that an act gives or takes away; null where it is no adjustment. */
export function adjustmentOf(params: unknown): Adjustment | null {
  return z.safeParse(acts.adjust.params, params).data?.adjustment ?? null
}

/** What a refund gives back; null where it is no refund. */
export function refundOf(params: unknown): Refund | null {
  return z.safeParse(acts.refund.params, params).data?.refund ?? null
}

/** Acts of which one person may do so much within a day. */
export const limitedKinds = ['adjust', 'refund'] as const satisfies readonly ActKind[]
export type LimitedKind = (typeof limitedKinds)[number]

export function isLimited(kind: string): kind is LimitedKind {
  return limitedKinds.some((limited) => limited === kind)
}

/** What counts to its limit: credits, or minor units; as `support_amount` has it. */
export function amountOf({ params }: { readonly params: unknown }): number {
  return Math.abs(adjustmentOf(params)?.credits ?? refundOf(params)?.amount_minor ?? 0)
}

export const actStates = ['waiting_for_approval', 'queued', 'done', 'failed', 'refused', 'cancelled'] as const
export type ActState = (typeof actStates)[number]

export const maximumTargets = 500
const leastReason = 10

/** Why a reason will not do; null when it will. It is for colleagues, who read it in the audit log. */
export function reasonProblem(reason: string): string | null {
  const words = reason.trim().split(/\s+/)
  return reason.trim().length >= leastReason && words.length >= 2
    ? null
    : 'Enter a reason: your colleagues read it in the audit log'
}

export const targetSchema = z.strictObject({
  kind: z.enum(targetKinds),
  /** Ours, or the vendor's. */
  id: z.string().check(z.trim(), z.minLength(1), z.maxLength(255)),
  /** The finding of a reconciliation that the act repairs. */
  finding_id: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
})
export type ActTarget = z.infer<typeof targetSchema>

const personSchema = z.object({
  /** A user's id, or `cli:` and the operating system's user name. */
  id: z.string(),
  /** The id, where no name is known. */
  name: z.string(),
})

const valueSchema = z.nullable(z.union([z.string(), z.int()]))

const changeSchema = z.object({
  /** Of the owner `balance`, `available`, `plan`, `seats`, `seats_in_use` or `seats_reserved`; or the kind of a row. */
  what: z.string(),
  /** Of the row. That of a seat is its user, or the invitation that reserves it. */
  id: z.nullable(z.string()),
  before: valueSchema,
  /** Of a row its state. Null for nothing, or for what is not known. */
  after: valueSchema,
})
export type ActChange = z.infer<typeof changeSchema>

/** The outcome of an act; of a dry run its preview. */
export const actOutcomeSchema = z.object({
  /** False when everything was as it should be already. */
  changed: z.boolean(),
  /** Why nothing changed, where nothing did and it is known. */
  note: z.nullable(z.string()),
  transfers: z.array(
    z.object({
      kind: z.string(),
      account: z.enum(['plan', 'purchased']),
      /** Whole credits, signed. */
      credits: z.int(),
      /** As the customer reads it. */
      reason: z.string(),
      grant_id: z.nullable(z.string()),
    }),
  ),
  changes: z.array(changeSchema),
  /** Of an erasure. */
  erasure: z.optional(
    z.object({
      /** Rows that are removed, or whose name and address are replaced, by what they are. */
      removed: z.record(z.string(), z.int()),
      /** Stripe's customers, which a person has to redact there. */
      customers: z.array(z.string()),
      /** What stays in the books. */
      credits: z.int(),
    }),
  ),
  /** Of a dry run: the act that has to be done before this one is possible. */
  first: z.optional(
    z.object({ kind: z.enum(actKinds), target: z.object({ kind: z.enum(targetKinds), id: z.string() }) }),
  ),
  /** That the act is about or Stripe made, below zero for a credit; `refusal`: why the card was refused. */
  invoice: z.optional(
    z.object({ total_minor: z.int(), currency: z.string(), refusal: z.nullable(z.string()) }),
  ),
})
export type ActOutcome = z.infer<typeof actOutcomeSchema>

export const supportActSchema = z.object({
  id: z.uuid(),
  batch_id: z.nullable(z.uuid()),
  finding_id: z.nullable(z.string()),
  kind: z.string(),
  target: z.object({ kind: z.string(), id: z.string() }),
  /** The label is the address of a person, so that no other one is chosen; null where none is known. */
  owner: z.nullable(z.object({ owner_id: z.string(), label: z.nullable(z.string()) })),
  params: z.record(z.string(), z.unknown()),
  reason: z.string(),
  is_dry_run: z.boolean(),
  state: z.enum(actStates),
  requested_by: personSchema,
  requested_at: z.iso.datetime(),
  approved_by: z.nullable(personSchema),
  refused_by: z.nullable(personSchema),
  /** Null until it is done. */
  outcome: z.nullable(actOutcomeSchema),
  /** Why it failed, or why a colleague rejected it. */
  error: z.nullable(z.string()),
  /** A dry run that ended because Stripe or Clerk did not answer; what it tried out would be tried again. */
  is_unavailable: z.boolean(),
  /** While it is queued: the error of the last try, e.g. that Stripe did not answer. It is retried. */
  last_error: z.nullable(z.string()),
})
export type SupportAct = z.infer<typeof supportActSchema>

export const workerSchema = z.object({
  /** When a worker did its last job; null where none ever did. */
  heard_at: z.nullable(z.iso.datetime()),
  /** So long ago that none may be running: what is asked for is done when one comes. */
  is_silent: z.boolean(),
})
export type WorkerHeard = z.infer<typeof workerSchema>

const refusedTargetSchema = z.object({
  target: targetSchema,
  code: z.string(),
  error: z.string(),
})

const idSchema = z.uuid()

/**
 * Answers once the act is recorded; `getSupportActs` has its outcome. The same id again gets the same act.
 * For one target a refusal is an error: `reason_required` (400), `target_not_found` (404), `act_under_way`
 * (409, with `act_id`, `by` and `since`), `not_possible` (422, e.g. your own account), `act_id_reused` (422).
 * For several targets, refusals are listed in the answer.
 */
export const requestSupportActs = endpoint({
  method: 'POST',
  path: '/api/support/acts',
  summary: 'Request an act on one or more targets; above the limit it waits for a second person',
  auth: 'support',
  limit: 'write',
  body: z
    .strictObject({
      /** A fresh UUID: of the act, or of the batch when there are several targets. */
      id: idSchema,
      kind: z.enum(actKinds),
      targets: z.array(targetSchema).check(z.minLength(1), z.maxLength(maximumTargets)),
      /** For colleagues; see `reasonProblem`. A dry run needs none. */
      reason: z._default(z.string().check(z.trim(), z.maxLength(1000)), ''),
      is_dry_run: z._default(z.boolean(), false),
      /** See `acts`. */
      params: z._default(z.union(paramsOfActs), {}),
    })
    .check(
      z.refine((body) => parseParams(body).success, {
        message: 'These are not the parameters of this act',
        path: ['params'],
      }),
      z.refine(({ kind, targets }) => kind !== 'forget' || targets.length === 1, {
        message: 'One person at a time',
        path: ['targets'],
      }),
    ),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      batch_id: z.nullable(z.uuid()),
      /** A second person has to agree; of a dry run: would have to. */
      needs_approval: z.boolean(),
      acts: z.array(supportActSchema),
      refused: z.array(refusedTargetSchema),
    }),
  }),
})

export const getSupportActs = endpoint({
  method: 'GET',
  path: '/api/support/acts',
  summary: 'One act, the acts of a batch, or those that wait for a second person',
  auth: 'support',
  limit: 'read',
  /** One of `id` and `batch_id`; without any, the acts that wait for a second person. */
  query: z.strictObject({
    id: z.optional(idSchema),
    batch_id: z.optional(idSchema),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({ acts: z.array(supportActSchema), worker: workerSchema }),
  }),
})

/**
 * Refusals: `act_not_found` (404), `act_not_waiting` (409), `own_approval` (403), and for an erasure
 * `wrong_address` (422).
 */
export const approveSupportAct = endpoint({
  method: 'POST',
  path: '/api/support/acts/approve',
  summary: 'Approve an act that a colleague requested; it is done at once',
  auth: 'support',
  limit: 'write',
  body: z.strictObject({
    id: idSchema,
    /** Of a person who is to be erased, which cannot be undone: their e-mail address. It is not kept. */
    typed_address: z.optional(z.string().check(z.trim(), z.maxLength(320))),
  }),
  response: z.object({ success: z.literal(true), data: supportActSchema }),
})

export const refuseSupportAct = endpoint({
  method: 'POST',
  path: '/api/support/acts/refuse',
  summary: 'Reject an act that waits for a second person, or withdraw one’s own',
  auth: 'support',
  limit: 'write',
  body: z.strictObject({
    id: idSchema,
    reason: z._default(z.string().check(z.trim(), z.maxLength(1000)), ''),
  }),
  response: z.object({ success: z.literal(true), data: supportActSchema }),
})

/** Asking again cancels what has not begun by then. */
export const cancelSupportActs = endpoint({
  method: 'POST',
  path: '/api/support/acts/cancel',
  summary: 'Cancel the acts of a batch that have not begun',
  auth: 'support',
  limit: 'write',
  body: z.strictObject({ batch_id: idSchema }),
  response: z.object({ success: z.literal(true), data: z.object({ cancelled: z.int() }) }),
})

const auditOutcomes = ['requested', 'approved', 'refused', 'cancelled', 'denied', 'done', 'failed'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

export const auditEntrySchema = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  actor: personSchema,
  act_id: z.nullable(z.uuid()),
  /** Of acts that were asked for together, and how many entries of theirs this one stands for. */
  batch: z.nullable(z.object({ id: z.uuid(), entries: z.int() })),
  /** The kind of act, or what else was tried, such as `access`. */
  what: z.string(),
  /** `denied`: the caller has no support role. `refused`: the act was not permitted. */
  outcome: z.enum(auditOutcomes),
  target: z.nullable(z.object({ kind: z.string(), id: z.string() })),
  owner_id: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  /** The refusal, the error, or why nothing changed. */
  detail: z.nullable(z.string()),
  /** Of what changed, by what it is and its id. */
  before: z.nullable(z.record(z.string(), valueSchema)),
  after: z.nullable(z.record(z.string(), valueSchema)),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>

export const getAuditLog = endpoint({
  method: 'GET',
  path: '/api/support/audit',
  summary: 'Acts that support staff requested and did, newest first; those of a batch in one entry',
  auth: 'support',
  limit: 'read',
  query: z.strictObject({
    owner_id: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
    actor: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
    act_id: z.optional(idSchema),
    /** Each entry of a batch. */
    batch_id: z.optional(idSchema),
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 25),
    /** The `next_cursor` of the page before. */
    cursor: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({ items: z.array(auditEntrySchema), next_cursor: z.nullable(z.int()) }),
  }),
})
