import { sql } from 'kysely'
import type Stripe from 'stripe'
import { z } from 'zod'
import { type Database, type DatabaseTransaction, inSnapshot } from '../../schema/database/connect.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { type Books, type GrantInBooks, readBooks } from '../../schema/ledger/post/books.ts'
import { readUsageInMonths } from '../../schema/ledger/post/usage-in-months.ts'
import { cataloguePrices } from '../../schema/stripe/catalogue.ts'
import { stripeReferenceSchema } from '../../schema/stripe/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import {
  type BilledLine,
  type BilledMonth,
  type BilledPlan,
  billedMonths,
  monthsBetween,
} from './billed-credits.ts'
import {
  adjustmentOf,
  type Candidate,
  type Comparison,
  dayMs,
  fromSeconds,
  graceMs,
  seconds,
} from './comparison.ts'

/** Each that has moved costs two calls. */
const listedPerStep = 50
/** Months whose usage is looked at: the latest two. */
const usageReachMs = 62 * dayMs

export const listedPlanSchema = z.object({
  id: z.string(),
  created: z.int(),
  customer: stripeReferenceSchema,
  trial_end: z.int().nullable(),
  ended_at: z.int().nullable(),
  latest_invoice: z
    .object({ created: z.int(), status_transitions: z.object({ paid_at: z.int().nullable() }) })
    .nullable(),
  items: z.object({
    data: z.array(
      z.object({
        current_period_start: z.int(),
        current_period_end: z.int(),
        price: z.object({ product: stripeReferenceSchema }),
      }),
    ),
  }),
})
export type ListedPlan = z.infer<typeof listedPlanSchema>

/** Our row of it: whose it is, and the promise of its checkout, which no list of Stripe's has. */
interface KnownPlan extends Owner {
  readonly stripe_subscription_id: string
  readonly intent_id: string
  readonly credits_per_seat: number
}

/**
 * The ledger has of each plan what its bills paid for, and no bought credits paid for what a month covers.
 * Computed from Stripe's lists without the position (decision 108). A plan is compared when a month of it has
 * begun, or a bill of it was made or paid, since everything agreed.
 */
export const planCredits: Comparison = {
  name: 'credits of plans',
  async step({ deps, since, now }, after) {
    const page = await deps.stripe.subscriptions.list({
      status: 'all',
      limit: listedPerStep,
      expand: ['data.latest_invoice'],
      ...(after !== null && { starting_after: after }),
    })
    const known = await findPlans(
      deps.db,
      page.data.map(({ id }) => id),
    )
    const differing = await findDiffering(deps.db, [...known.values()])
    const moved = page.data
      .filter(({ id }) => known.has(id) && !differing.has(known.get(id)?.owner_id ?? ''))
      .map((one) => listedPlanSchema.parse(one))
      .filter((one) => lastMoved(one, seconds(now)) >= seconds(since))
    const differences: Candidate[] = []
    for (const listed of moved) {
      const plan = known.get(listed.id)
      if (plan) differences.push(...(await comparePlan(deps, { listed, plan, now })))
    }
    return { count: moved.length, differences, next: page.has_more ? (page.data.at(-1)?.id ?? null) : null }
  },
}

export async function findPlans(db: Database, ids: readonly string[]): Promise<Map<string, KnownPlan>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('subscriptions')
    .select(['stripe_subscription_id', 'intent_id', 'owner_kind', 'owner_id', 'credits_per_seat'])
    .where('stripe_subscription_id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.stripe_subscription_id, row]))
}

/** Owners whose books differ from the facts: a finding of its own, whose repair changes what is compared. */
async function findDiffering(db: Database, plans: readonly KnownPlan[]): Promise<Set<string | null>> {
  if (plans.length === 0) return new Set()
  const ids = plans.map(({ owner_id }) => owner_id)
  const rows = await db
    .selectFrom('reconciliation_findings')
    .select('owner_id')
    .where('owner_id', 'in', ids)
    .where('kind', 'in', ['credits_missing', 'credits_too_many', 'grant_unexplained'])
    .where('gone_at', 'is', null)
    .execute()
  return new Set(rows.map(({ owner_id }) => owner_id))
}

/** In seconds: when a bill of it was made or paid, a month of it began, or it ended. */
function lastMoved({ created, ended_at, latest_invoice, items }: ListedPlan, now: number): number {
  const begun = items.data
    .flatMap((item) =>
      monthsBetween({ starts_at: item.current_period_start, ends_at: item.current_period_end }),
    )
    .map(({ starts_at }) => starts_at)
    .filter((starts_at) => starts_at <= now)
  const billed = [latest_invoice?.created, latest_invoice?.status_transitions.paid_at]
  return Math.max(created, ended_at ?? 0, ...begun, ...billed.map((at) => at ?? 0))
}

/** What of one plan differs. */
export async function comparePlan(
  { db, stripe }: Pick<WorkerDependencies, 'db' | 'stripe'>,
  { listed, plan, now }: { readonly listed: ListedPlan; readonly plan: KnownPlan; readonly now: Date },
): Promise<Candidate[]> {
  const { lines, totals } = await fetchLines(stripe, listed)
  const { trial_end, ended_at } = listed
  const billed: BilledPlan = { lines, trial_end, ended_at, credits_per_seat: plan.credits_per_seat }
  const months = billedMonths(billed, seconds(now))
  // A month that has just begun is on its way.
  const before = billedMonths(billed, seconds(now) - graceMs / 1000)
  return inSnapshot(db, async (trx) => {
    const books = await readBooks(trx, plan)
    const shares = await findShares(trx, totals)
    const own = books.grants.filter((grant) => grant.stripe_subscription_id === listed.id)
    const have = own.reduce((sum, { gross, refunded, disputed }) => sum + gross - refunded - disputed, 0)
    const due = [sumOf(before, shares), sumOf(months, shares)]
    // Each grant is rounded down by itself, and so is what is taken back of it.
    const isRight = have >= Math.min(...due) - own.length && have <= Math.max(...due) + own.length
    if (!isRight) return [notAsBilled(plan, have, due[1] ?? 0)]
    const lost = await findLost(trx, { books, own, months, plan, ended_at, now })
    return lost.map(({ grant, credits }) => boughtLost(plan, grant, credits))
  })
}

function sumOf(months: readonly BilledMonth[], shares: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const { credits } of months)
    for (const [invoiceId, some] of credits) sum += some * (1 - (shares.get(invoiceId) ?? 0))
  return Math.floor(sum)
}

/**
 * Which share of each invoice's credits its money that went back takes. What was given back for the unused
 * part of a plan takes none, and lowers the price. Of our charges, which this run has compared with Stripe's
 * lists of refunds and disputes before.
 */
async function findShares(
  trx: DatabaseTransaction,
  totals: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  if (totals.size === 0) return new Map()
  const rows = await trx
    .selectFrom('charges')
    .selectAll()
    .where('stripe_invoice_id', 'in', [...totals.keys()])
    .execute()
  const shares = new Map<string, number>()
  for (const [id, charges] of Map.groupBy(rows, ({ stripe_invoice_id }) => stripe_invoice_id ?? '')) {
    const sum = (pick: (charge: (typeof rows)[number]) => number) =>
      charges.reduce((all, charge) => all + pick(charge), 0)
    const unused = sum((charge) => charge.unused_refund_minor)
    const before = sum((charge) => charge.refunded_before_minor)
    const later = sum((charge) => charge.refunded_minor + charge.disputed_minor) - unused - before
    const total = totals.get(id) ?? 0
    const price = total - before - unused
    // Of the credits that the first part left, a later one takes its share of the price that was left.
    const left = (1 - before / total) * (price > 0 ? 1 - Math.min(1, later / price) : 1)
    if (total > 0) shares.set(id, Math.min(1, 1 - left))
  }
  return shares
}

const detailsSchema = z
  .object({
    proration: z.boolean(),
    proration_details: z.object({ credited_items: z.unknown() }).nullish(),
  })
  .nullish()
const pricingSchema = z.object({ price_details: z.object({ product: z.string() }).nullish() }).nullish()
const lineSchema = z.object({
  amount: z.int(),
  quantity: z.int().nullable(),
  period: z.object({ start: z.int(), end: z.int() }),
  pricing: pricingSchema,
  parent: z
    .object({ subscription_item_details: detailsSchema, invoice_item_details: detailsSchema })
    .nullable(),
})
const waitingSchema = z.object({
  ...lineSchema.omit({ parent: true }).shape,
  proration: z.boolean(),
  proration_details: z.object({ credited_items: z.unknown() }).nullish(),
  parent: z.object({ subscription_details: z.object({ subscription: z.string() }).nullish() }).nullish(),
})

/** What every bill of a plan says, and what waits for one, with the total of each invoice that is paid. */
async function fetchLines(
  stripe: Stripe,
  { id, customer, items }: ListedPlan,
): Promise<{ lines: BilledLine[]; totals: Map<string, number> }> {
  const lines: BilledLine[] = []
  const totals = new Map<string, number>()
  const products = new Set(cataloguePrices.map(({ product_id }) => product_id))
  // One item that stands alone is the plan, whatever its price.
  if (items.data.length === 1) for (const { price } of items.data) products.add(price.product)
  const isOfPlan = ({ pricing }: Pick<z.infer<typeof lineSchema>, 'pricing'>) =>
    products.has(pricing?.price_details?.product ?? '')

  const invoices = await stripe.invoices
    .list({ subscription: id, limit: 100 })
    .autoPagingToArray({ limit: 10_000 })
  for (const invoice of invoices.toReversed()) {
    const isPaid = invoice.status === 'paid'
    const paid_at = isPaid ? (invoice.status_transitions.paid_at ?? invoice.created) : null
    if (isPaid) totals.set(invoice.id ?? '', invoice.total - invoice.pre_payment_credit_notes_amount)
    const raw = invoice.lines.has_more
      ? await stripe.invoices
          .listLineItems(invoice.id ?? '', { limit: 100 })
          .autoPagingToArray({ limit: 10_000 })
      : invoice.lines.data
    const own = z
      .array(lineSchema)
      .parse(raw)
      .filter(isOfPlan)
      .flatMap((line): BilledLine[] => {
        const details = line.parent?.subscription_item_details ?? line.parent?.invoice_item_details
        const is_period = line.parent?.subscription_item_details?.proration === false
        if (!is_period && !(details?.proration ?? false)) return []
        return [billedLine(line, { invoice_id: invoice.id ?? '', paid_at, is_period, details })]
      })
    // What is charged at once takes back when it is paid, and a void bill never does; their seats are held.
    // One that is a draft waits too, whatever it is for: collection is paused.
    const waits =
      invoice.status === 'draft' || ['subscription_cycle', 'manual'].includes(invoice.billing_reason ?? '')
    const takesBack = isPaid || (waits && invoice.status !== 'void')
    lines.push(...(takesBack ? own : own.filter((line) => netAt(line, own) > 0)))
  }
  const waiting = await stripe.invoiceItems
    .list({ customer, pending: true, limit: 100 })
    .autoPagingToArray({ limit: 10_000 })
  for (const item of z.array(waitingSchema).parse(waiting).filter(isOfPlan).toReversed()) {
    if (item.parent?.subscription_details?.subscription !== id || !item.proration) continue
    lines.push(billedLine(item, { invoice_id: null, paid_at: null, is_period: false, details: item }))
  }
  return { lines: lines.filter(({ starts_at, ends_at }) => starts_at < ends_at), totals }
}

function billedLine(
  { amount, quantity, period }: Pick<z.infer<typeof lineSchema>, 'amount' | 'quantity' | 'period'>,
  source: Pick<BilledLine, 'invoice_id' | 'paid_at' | 'is_period'> & {
    readonly details: z.infer<typeof detailsSchema>
  },
): BilledLine {
  const { details, ...fields } = source
  const takesBack = amount < 0 || Boolean(details?.proration_details?.credited_items)
  return {
    ...fields,
    starts_at: period.start,
    ends_at: period.end,
    seats: (quantity ?? 1) * (takesBack ? -1 : 1),
    is_free: amount === 0,
  }
}

/** Seats that a bill changes at a line's moment. */
function netAt({ starts_at }: BilledLine, lines: readonly BilledLine[]): number {
  const changes = lines.filter((line) => !line.is_period && line.starts_at === starts_at)
  return changes.reduce((sum, { seats }) => sum + seats, 0)
}

interface Lost {
  readonly grant: GrantInBooks
  readonly credits: number
}

/**
 * Bought credits that paid for usage which a month's credits cover (rule 9 of decision 061). Only of plain
 * months: where something was taken back or added within a month, what its usage took depends on when.
 */
async function findLost(
  trx: DatabaseTransaction,
  found: {
    readonly books: Books
    readonly own: readonly GrantInBooks[]
    readonly months: readonly BilledMonth[]
    readonly plan: KnownPlan
    readonly ended_at: number | null
    readonly now: Date
  },
): Promise<Lost[]> {
  const { books, own, plan, now } = found
  const windows = found.months.flatMap((month) => {
    const starts_at = fromSeconds(month.starts_at)
    const until = fromSeconds(Math.min(month.ends_at, found.ended_at ?? month.ends_at))
    if (starts_at.getTime() < now.getTime() - usageReachMs || starts_at.getTime() > now.getTime() - graceMs)
      return []
    const others = books.grants.filter(
      (grant) => grant.starts_at && grant.ends_at && grant.starts_at < until && grant.ends_at > starts_at,
    )
    const [grant] = others
    const isPlain = grant?.stripe_subscription_id === plan.stripe_subscription_id && others.length === 1
    return isPlain && grant.starts_at?.getTime() === starts_at.getTime()
      ? [{ grant, starts_at, from: starts_at, until, stripe_subscription_id: plan.stripe_subscription_id }]
      : []
  })
  if (windows.length === 0 || books.grants.some(({ kind }) => kind === 'adjustment')) return []
  const moved = await findMoved(trx, plan)
  const isUntouched = ({ id, kind, expired, transfers }: GrantInBooks) =>
    kind === 'month' && transfers === 1 + Number(expired !== 0) + (moved.get(id)?.transfers ?? 0)
  if (!own.every(isUntouched)) return []
  const used = await readUsageInMonths(trx, plan, windows)
  return windows.flatMap(({ grant }, index) => {
    const { plan: ofPlan, purchased } = used[index] ?? { plan: 0, purchased: 0 }
    const ofBought = purchased - (moved.get(grant.id)?.credits ?? 0)
    const credits = ofBought - Math.max(0, ofPlan + purchased - grant.gross)
    return credits > 0 ? [{ grant, credits }] : []
  })
}

/** Bought credits that came back to the owner, by the grant of the month that took the usage over. */
async function findMoved(
  trx: DatabaseTransaction,
  { owner_id }: Owner,
): Promise<Map<string, { credits: number; transfers: number }>> {
  const { rows } = await sql<{ grant_id: string; credits: number; transfers: number }>`
    SELECT t.grant_id, sum(e.amount)::bigint AS credits, count(*)::bigint AS transfers
    FROM ledger_grants g
    JOIN ledger_transfers t ON t.owner_id = g.owner_id AND t.grant_id = g.id AND t.kind = 'usage_moved'
    JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.transfer_id = t.id
    JOIN ledger_accounts a ON a.owner_id = e.owner_id AND a.id = e.account_id AND a.name = 'purchased'
    WHERE g.owner_id = ${owner_id} AND g.kind = 'month' GROUP BY t.grant_id`.execute(trx)
  return new Map(rows.map(({ grant_id, ...one }) => [grant_id, one]))
}

function notAsBilled(plan: KnownPlan, have: number, due: number): Candidate {
  const { stripe_subscription_id: id, intent_id } = plan
  const missing = due - have
  return {
    kind: 'plan_credits_differ',
    object_id: id,
    owner: { owner_kind: plan.owner_kind, owner_id: plan.owner_id },
    sentence: `A plan has ${Math.abs(missing)} credits ${missing > 0 ? 'fewer' : 'more'} than its bills paid for`,
    they_say: `The bills of subscription ${id} paid for ${due} credits until now.`,
    we_have: `The ledger granted ${have} for it, less what it took back.`,
    money: null,
    credits: missing,
    repair: null,
    advice:
      'Replay the subscription, which fetches all its bills. If the difference stays, a rule of the ledger is applied wrongly: adjust the credits, and report the defect.',
    refs: [id, intent_id],
  }
}

function boughtLost(plan: KnownPlan, grant: GrantInBooks, credits: number): Candidate {
  const owner = { owner_kind: plan.owner_kind, owner_id: plan.owner_id }
  const { id, gross, stripe_invoice_id } = grant
  return {
    kind: 'bought_credits_lost',
    object_id: id,
    owner,
    sentence: `${credits} bought credits paid for usage that the plan covers`,
    they_say: `Invoice ${stripe_invoice_id} paid for a month of ${gross} credits, and less was used of it.`,
    we_have: `Usage of that month took ${credits} credits too many of the bought ones.`,
    money: null,
    credits,
    repair: adjustmentOf(owner, credits),
    advice: 'Give them back, and report the defect: usage of a month belongs to that month.',
    refs: [plan.stripe_subscription_id, plan.intent_id, stripe_invoice_id],
  }
}
