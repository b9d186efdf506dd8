import * as z from 'zod/mini'

const text = z.string()
const maybe = z.nullable(text)
const int = z.int()
const time = z.iso.datetime()
/** In any currency that Stripe has, also one in which we do not sell. */
const money = z.object({ amount_minor: int, currency: text })
/** Of a charge, at Stripe and here. */
const moneyBack = z.object({ there_minor: int, here_minor: int, currency: text })
/** `seats`: of the whole organization, where Clerk does not know it; `user_id` is null then. */
const seat = { organization_id: text, user_id: maybe, there: maybe, here: maybe }
/** `due`: by the facts; null where nothing explains the grant. */
const grant = { due: z.nullable(int), lacking: z.array(z.object({ component: text, credits: int })) }
/** `failure`: of the last try. */
const waiting = { source: maybe, type: maybe, since: time, failure: maybe }

/**
 * What can differ, and the figures of each kind beside its object, owner, money and credits; the words are in
 * `web/content/support/findings.ts`. First what differs from Stripe, then from Clerk, then within our own.
 */
export const findingData = {
  /** Paid, and not settled here. `other_session_id` and `promised`: why a replay would fail again. */
  session_not_settled: z.object({
    ...{ intent_id: text, is_plan: z.boolean(), payment_status: text, paid: z.nullable(money) },
    ...{ state: maybe, reason: maybe, other_session_id: maybe, promised: z.nullable(money) },
  }),
  settled_without_payment: z.object({ intent_id: text, status: maybe, payment_status: text }),
  /** Paid, and its lines are missing. */
  invoice_unknown: z.object({ total: money }),
  invoice_differs: z.object({ total: money, known_minor: int }),
  refund_differs: moneyBack,
  dispute_differs: moneyBack,
  /** `second_to`: the plan that its owner has. */
  subscription_unknown: z.object({ status: text, second_to: maybe, intent_id: maybe, intent_state: maybe }),
  subscription_differs: z.object({
    fields: z.array(z.object({ field: text, there: maybe, here: maybe })),
    failure: maybe,
  }),
  /** Its price is one of another plan. */
  subscription_plan_differs: z.object({ there: text, here: text }),
  /** We have it, Stripe does not. */
  subscription_gone: z.object({ status: text, plan: text, interval: text, seats: int, failure: maybe }),
  subscription_untaxed: z.object({}),
  /** Of a plan that is charged. */
  owner_gone: z.object({ owner_id: text, status: text, failure: maybe }),
  organization_without_admin: z.object({ members: int, subscription_id: text, cancel_at: z.nullable(time) }),
  seat_without_membership: z.object({ ...seat, seats: int }),
  /** Of a member who is not known here (`here` is null), or whose seat is still reserved. */
  membership_without_seat: z.object({ ...seat, is_reserved: z.boolean() }),
  seat_role_differs: z.object(seat),
  member_limit_differs: z.object({ at_clerk: int, seats_total: int, limit: int }),
  /** `paid_session_id`: of a settled checkout that the ledger has no grant for. */
  credits_missing: z.object({ ...grant, paid_session_id: z.optional(text) }),
  credits_too_many: z.object(grant),
  grant_unexplained: z.object(grant),
  adjustment_unexplained: z.object({ posted_at: time, account: text, actor: text, reason: text }),
  event_unapplied: z.object(waiting),
  /** Due for so long that no job has it. `source` and `type`: of an event. */
  work_overdue: z.object({ what: text, ...waiting }),
}
export type FindingKind = keyof typeof findingData
export type FindingData<Kind extends FindingKind = FindingKind> = z.infer<(typeof findingData)[Kind]>

export const findingKinds = Object.keys(findingData) as [FindingKind, ...FindingKind[]]
