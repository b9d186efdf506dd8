import type Stripe from 'stripe'
import type { Repair } from '../../schema/api/reconciliation.ts'
import type { FoundDifference } from '../../schema/billing/reconciliation/findings.ts'
import type { Database } from '../../schema/database/connect.ts'
import { kindOf, type OwnerKind } from '../../schema/ledger/accounts.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** What of ours is compared with one list of Stripe's, of Clerk's or of our own, some objects a step. */
export interface Comparison {
  /** As a run counts it, e.g. `sessions`. */
  readonly name: string
  /** Compares the objects that follow `after`, the last one of the step before; null is the beginning. */
  step(context: ComparisonContext, after: string | null): Promise<Compared>
}

export interface ComparisonContext {
  readonly deps: WorkerDependencies
  /** Everything before it was compared, and agreed. */
  readonly since: Date
  readonly now: Date
}

export interface Compared {
  readonly count: number
  readonly differences: readonly UnconfirmedDifference[]
  /** Where the next step goes on; null when the list is complete. */
  readonly next: string | null
}

/** A difference, unless one of `refs` (ids of Stripe's or ours) is on its way to us at this moment. */
export type UnconfirmedDifference = FoundDifference & {
  readonly refs?: readonly (string | null | undefined)[]
}

interface StripeList<Listed> {
  readonly name: string
  list(
    context: ComparisonContext,
    page: { readonly limit: number; readonly starting_after?: string },
  ): Promise<Stripe.ApiList<Listed>>
  compare(context: ComparisonContext, listed: readonly Listed[]): Promise<Omit<Compared, 'next'>>
}

/** Compares a list of Stripe's, a page a step. */
export function pagesOf<Listed extends { readonly id: string }>({
  name,
  list,
  compare,
}: StripeList<Listed>): Comparison {
  return {
    name,
    async step(context, after) {
      const page = await list(context, { limit: 100, ...(after !== null && { starting_after: after }) })
      const next = page.has_more ? (page.data.at(-1)?.id ?? null) : null
      return { ...(await compare(context, page.data)), next }
    },
  }
}

interface OwnList<Row> {
  readonly name: string
  /** The next rows after that id, in the order of their ids. */
  list(db: Database, after: string): Promise<readonly Row[]>
  idOf(row: Row): string
  compare(deps: WorkerDependencies, row: Row, now: Date): Promise<readonly UnconfirmedDifference[]>
}

/** Compares a list of ours, some rows a step. */
export function rowsOf<Row>({ name, list, idOf, compare }: OwnList<Row>): Comparison {
  return {
    name,
    async step({ deps, now }, after) {
      const rows = await list(deps.db, after ?? '')
      const differences: UnconfirmedDifference[] = []
      for (const row of rows) differences.push(...(await compare(deps, row, now)))
      const last = rows.at(-1)
      return { count: rows.length, differences, next: last === undefined ? null : idOf(last) }
    },
  }
}

const minuteMs = 60_000

/** What is younger may be on its way: the webhook, the queue, the transaction that applies it. */
export const graceMs = 5 * minuteMs

export function isYoung(at: Date | null | undefined, now: Date): boolean {
  return at !== null && at !== undefined && now.getTime() - at.getTime() < graceMs
}

export const dayMs = 24 * 60 * minuteMs

/** As Stripe's lists take it: seconds. */
export function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

/** What a list is asked for: all that was made since that long before `since`, and could still change. */
export function madeSince({ since }: ComparisonContext, beforeMs: number): { created: { gte: number } } {
  return { created: { gte: seconds(new Date(since.getTime() - beforeMs)) } }
}

export function fromSeconds(value: number): Date {
  return new Date(value * 1000)
}

export function replayOf(kind: Exclude<Repair['target']['kind'], OwnerKind>, id: string): Repair {
  return { kind: 'replay', target: { kind, id }, params: {} }
}

/** Ends it at Stripe, which the worker does only if its owner is gone or has another plan. */
export function cancellationOf(subscriptionId: string): Repair {
  return { kind: 'cancel_subscription', target: { kind: 'subscription', id: subscriptionId }, params: {} }
}

export function resyncOf(owner_id: string): Repair {
  return { kind: 'resync', target: { kind: kindOf(owner_id), id: owner_id }, params: {} }
}

/** Takes away what nothing explains, or gives back what was taken. */
export function adjustmentOf(owner_id: string, credits: number): Repair {
  const adjustment = { credits, customer_note: 'Correction of your credits', may_leave_debt: false }
  return { kind: 'adjust', target: { kind: kindOf(owner_id), id: owner_id }, params: { adjustment } }
}
