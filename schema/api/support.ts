import * as z from 'zod/mini'
import { currencySchema, planTypeSchema } from '../catalogue/schemas.ts'
import { endpoint } from './endpoint.ts'
import { ownerIdSchema } from './ids.ts'
import { actOutcomeSchema, workerSchema } from './support-acts.ts'

export const ownerSchema = z.object({
  kind: z.enum(['user', 'organization']),
  id: z.string(),
  /** Of a person the address, masked where one does not choose between people; null where nothing is known. */
  label: z.nullable(z.string()),
})
export type SupportOwner = z.infer<typeof ownerSchema>

/** The same object at the vendors; null where it has none, and in sandbox mode. */
export const vendorLinksSchema = z.object({ stripe: z.nullable(z.url()), clerk: z.nullable(z.url()) })

export const traceItemSchema = z.object({
  /** A checkout's `session`, or one of `schema/support/timeline-sources.ts`. */
  kind: z.string(),
  /** `kind:id`, unique on the timeline; of a later step of a hold with that step: `hold:<id>/extended`. */
  key: z.string(),
  id: z.string(),
  at: z.iso.datetime(),
  links: vendorLinksSchema,
  /** What the source selects for its kind. The words of the kind in `web/content/support` parse it. */
  data: z.record(z.string(), z.unknown()),
})
export type TraceItem = z.infer<typeof traceItemSchema>

/** Two payments that are closer than this, for one sum or for two, may be one that was made twice. */
export const paidTwiceWithinMs = { same: 10 * 60_000, other: 60_000 }

/** An event that was received so long ago and is not processed is stuck. */
export const stuckAfterMs = 2 * 60_000

export const moneySchema = z.object({ amount_minor: z.int(), currency: currencySchema })

const matchSchema = z.object({
  /** What was recognized: the kind of an item, or another one of `server/support/look-up.ts`. */
  kind: z.string(),
  id: z.string(),
  /** Null when there is no matching customer, such as for an event of another application. */
  owner: z.nullable(ownerSchema),
  /** The item on the owner's timeline, to be highlighted there; null for an owner as a whole. */
  item: z.nullable(traceItemSchema),
  /** Of a person or an organization, where one is known: else a masked address. */
  name: z.nullable(z.string()),
  /** How an organization has to do with the address that was searched for, which is masked. */
  held: z.nullable(z.object({ via: z.enum(['invitation', 'plan', 'seat']), label: z.string() })),
  /** Of a job: the queue does not keep it any more. */
  is_finished: z.boolean(),
})
export type SupportMatch = z.infer<typeof matchSchema>

export const searchSupport = endpoint({
  method: 'GET',
  path: '/api/support/search',
  summary:
    'Finds a customer by email address, name, invoice number, card payment, pasted link, or any id of ours, Stripe’s or Clerk’s',
  auth: 'support',
  limit: 'read',
  query: z.strictObject({ q: z.string().check(z.trim(), z.minLength(1), z.maxLength(320)) }),
  response: z.object({
    /** What a text of this form may be; nothing where the form is not known. */
    recognized_as: z.array(z.string()),
    matches: z.array(matchSchema),
    as_of: z.iso.datetime(),
  }),
})

/** A figure as the books or tables have it, and as the facts say that it should be. */
const figure = <Value extends z.core.$ZodType>(value: Value) => z.object({ is: value, should: value })

const day = z.iso.datetime()
const maybeDay = z.nullable(day)
const maybeText = z.nullable(z.string())

/** Who has credits reserved for requests that are under way. */
const holderSchema = z.object({
  user_id: z.string(),
  /** Their address, masked. */
  label: maybeText,
  holds: z.int(),
  credits: z.int(),
  /** They may open no more. */
  is_at_limit: z.boolean(),
  last_expires_at: day,
})

const caseSummarySchema = z.object({
  as_of: z.iso.datetime(),
  /** Of what Stripe has with what is here: see `server/support/ask-stripe.ts`. */
  comparison: z.object({
    /** `agrees`: less than a minute ago. `late`: longer ago, or something has changed since. `failed`: see `error`. */
    state: z.enum(['agrees', 'asking', 'late', 'failed']),
    /** When it was last done, or while Stripe is away when Stripe last answered anything; null for never. */
    at: z.nullable(z.iso.datetime()),
    /** What had not come here by then; null for nothing. */
    outcome: z.nullable(actOutcomeSchema),
    error: z.nullable(z.string()),
  }),
  worker: workerSchema,
  /** Events about this owner that came and are not applied. */
  unapplied_events: z.int(),
  /** The expected state is the actual one, and no item is failed or stuck. */
  agrees: z.boolean(),
  /** What has failed or is stuck, and explains no difference of `grants`. */
  failing: z.array(traceItemSchema),
  /** What may explain a complaint although nothing is wrong with the credits, the latest first. */
  notices: z.array(traceItemSchema),
  /** Those with most holds first. */
  holders: z.array(holderSchema),
  plan_type: figure(z.nullable(planTypeSchema)),
  balance: z.object({ plan: figure(z.int()), purchased: figure(z.int()), total: figure(z.int()) }),
  /** What a call of an editor is decided by at present; `debt` is that of one account, or of both. */
  spendable: z.object({ available: z.int(), held: z.int(), debt: z.int() }),
  /** Grants whose credits differ. */
  grants: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['purchase', 'month', 'seats', 'late_month', 'adjustment']),
      account: z.enum(['plan', 'purchased']),
      starts_at: maybeDay,
      subscription_id: maybeText,
      credits: figure(z.int()),
      /** The checkout that it comes from. */
      intent: z.nullable(traceItemSchema),
      /** The event of a paid checkout that could not be applied. */
      event: z.nullable(traceItemSchema),
    }),
  ),
  /** Null for a person. `total`: paid by the subscription; `held`: in use or reserved. */
  seats: z.nullable(z.object({ total: z.int(), held: z.int(), active: z.int(), pending: z.int() })),
})
export type CaseSummary = z.infer<typeof caseSummarySchema>

const personSchema = z.object({
  /** The name of a person or organization; null when Clerk does not know it or does not answer. */
  name: z.nullable(z.string()),
  /** In full, because one owner is open; null for an organization. */
  email: z.nullable(z.string()),
  /** `unknown`: Clerk does not answer at the moment. */
  at_clerk: z.enum(['known', 'gone', 'banned', 'locked', 'unknown']),
  /** When the account was made with us; null where there is none. */
  member_since: z.nullable(z.iso.datetime()),
  /** When they were erased; the address is a pseudonym since then. */
  forgotten_at: z.nullable(z.iso.datetime()),
  /** Stripe's customers, the present one first. */
  customers: z.array(z.object({ id: z.string(), links: vendorLinksSchema })),
  /** A person's organizations or an organization's members; e-mail addresses are masked. */
  related: z.array(
    z.object({
      kind: z.enum(['user', 'organization']),
      id: z.string(),
      label: z.nullable(z.string()),
      role: z.nullable(z.enum(['admin', 'member'])),
      has_seat: z.boolean(),
      /** The credits of an organization's pool; null for a member. */
      pool: z.nullable(z.int()),
    }),
  ),
  /** A person's editor tokens, those that have not ended first; the token itself is stored nowhere. */
  editors: z.array(
    z.object({
      id: z.string(),
      /** The person generated it and pasted it into an editor, or signed an editor in. */
      kind: z.enum(['generated', 'signed_in']),
      /** The editor that opened the link of the sign-in; null where that is not known. */
      editor: z.nullable(z.string()),
      /** What the editor calls itself; not verified. */
      name: z.nullable(z.string()),
      state: z.enum(['connected', 'expired', 'revoked']),
      connected_at: z.iso.datetime(),
      last_used_at: z.nullable(z.iso.datetime()),
      /** When it was revoked, or else expires or expired. */
      ends_at: z.iso.datetime(),
    }),
  ),
  links: vendorLinksSchema,
})
export type SupportPerson = z.infer<typeof personSchema>

export const getTrace = endpoint({
  method: 'GET',
  path: '/api/support/trace',
  summary: 'The payments and credits of one owner, with the expected state',
  auth: 'support',
  limit: 'read',
  query: z
    .strictObject({
      owner: z.optional(ownerIdSchema),
      /** An id of a kind that a search recognizes: instead of the owner, or to highlight an item of theirs. */
      kind: z.optional(z.string().check(z.maxLength(40))),
      id: z.optional(z.string().check(z.minLength(1), z.maxLength(320))),
      cursor: z.optional(z.string().check(z.maxLength(300))),
    })
    .check(
      z.refine(({ owner, kind, id }) => (kind === undefined) === (id === undefined) && Boolean(owner ?? id), {
        message: 'Give the owner, or kind and id of an object',
      }),
    ),
  response: z.object({
    /** Null, with `case_summary` and `person`, when there is no matching customer. */
    owner: z.nullable(ownerSchema),
    /** The following three on the first page only; null on later ones. */
    person: z.nullable(personSchema),
    case_summary: z.nullable(caseSummarySchema),
    /** Colleagues who have the same case open, and since when. */
    visitors: z.array(z.object({ user_id: z.string(), since: z.iso.datetime() })),
    /** The requested item, on any page of the timeline. */
    highlighted: z.nullable(traceItemSchema),
    /** Newest first. */
    timeline: z.array(traceItemSchema),
    /** Of colleagues who acted or have the case open, by their ids. */
    names: z.record(z.string(), z.string()),
    as_of: z.iso.datetime(),
    next_cursor: z.nullable(z.string()),
  }),
})
export type SupportTrace = z.infer<(typeof getTrace)['response']>

/** What a list of work is made of. Findings of the reconciliation come from a call of their own. */
export const workKinds = ['event', 'intent', 'subscription', 'invitation'] as const
export type WorkKind = (typeof workKinds)[number]
/** `failed`: not retried any more. `stuck`: still retried, but for longer than it should take. */
export const workStates = ['failed', 'stuck', 'ignored'] as const
export type WorkState = (typeof workStates)[number]

const workRowSchema = z.object({
  item: traceItemSchema,
  state: z.enum(workStates),
  owner: z.nullable(ownerSchema),
  /** When it came, or was begun. */
  since: z.iso.datetime(),
  /** What is at stake: of an event that of its checkout. */
  money: z.nullable(moneySchema),
  credits: z.nullable(z.int()),
})
export type WorkRow = z.infer<typeof workRowSchema>

export const listWork = endpoint({
  method: 'GET',
  path: '/api/support/work',
  summary:
    'Failed, stuck and ignored items with the money at stake; the queues and the oldest unapplied event',
  auth: 'support',
  limit: 'read',
  /** A missing field does not restrict the list; default states: failed and stuck. */
  query: z.strictObject({
    kind: z.optional(z.enum(workKinds)),
    state: z.optional(z.enum(workStates)),
    older_than_minutes: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(1_000_000))),
    /** `age`: the oldest first. `money`: what costs most first, on one page. */
    order: z._default(z.enum(['age', 'money']), 'age'),
    /** Received or begun from this moment, and before that one. */
    from: z.optional(z.iso.datetime()),
    to: z.optional(z.iso.datetime()),
    /** Part of the reason, the title or the id, in upper or lower case. */
    text: z.optional(z.string().check(z.trim(), z.maxLength(100))),
    cursor: z.optional(z.string().check(z.maxLength(300))),
  }),
  response: z.object({
    rows: z.array(workRowSchema),
    next_cursor: z.nullable(z.string()),
    /** Of all work, whatever the filter; `capped` above the counting limit. Ignored rows are not counted. */
    counts: z.array(
      z.object({
        kind: z.enum(workKinds),
        state: z.enum(workStates),
        count: z.int(),
        capped: z.boolean(),
      }),
    ),
    /** When Stripe's list of events was last read to its end. */
    stripe_listed_at: z.nullable(z.iso.datetime()),
    /** Null when the queue does not answer. */
    queues: z.nullable(
      z.array(
        z.object({
          name: z.string(),
          waiting: z.int(),
          active: z.int(),
          delayed: z.int(),
          failed: z.int(),
        }),
      ),
    ),
    oldest_unapplied_event: z.nullable(
      z.object({
        id: z.string(),
        source: z.enum(['stripe', 'clerk']),
        type: z.string(),
        received_at: z.iso.datetime(),
      }),
    ),
    as_of: z.iso.datetime(),
  }),
})
export type WorkList = z.infer<(typeof listWork)['response']>
