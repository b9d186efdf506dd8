import type Stripe from 'stripe'
import { z } from 'zod'
import { findIntent } from '../../schema/billing/checkout/intents.ts'
import type { Database } from '../../schema/database/connect.ts'
import { findRows } from '../../schema/database/find-rows.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'
import { disputedMinor, refundedMinor } from '../../schema/vendors/stripe/statuses.ts'
import { type ChargeOrigin, chargeSchema, findChargeOrigin, findOriginById } from './charge-origin.ts'
import {
  dayMs,
  fromSeconds,
  isYoung,
  madeSince,
  pagesOf,
  replayOf,
  type UnconfirmedDifference,
} from './comparison.ts'

/** A refund may still fail a month later: https://docs.stripe.com/refunds#failed-refunds. */
const longestRefundMs = 31 * dayMs
/** With an appeal a dispute may take half a year. */
const longestDisputeMs = 200 * dayMs

const refundSchema = z.object({
  id: z.string(),
  created: z.int(),
  status: z.string().nullable(),
  charge: chargeSchema.nullable(),
})

/** What Stripe has given back of each charge is what we know. */
export const refunds = pagesOf({
  name: 'refunds',
  list: (context, page) =>
    context.deps.stripe.refunds.list({
      ...madeSince(context, longestRefundMs),
      expand: ['data.charge'],
      ...page,
    }),
  async compare({ deps, now }, page) {
    const listed = z.array(refundSchema).parse(page)
    const young = new Set(
      listed.flatMap(({ charge, created }) => (isYoung(fromSeconds(created), now) && charge?.id) || []),
    )
    const charges = new Map(
      listed.flatMap(({ charge }) => (charge && !young.has(charge.id) ? [[charge.id, charge]] : [])),
    )
    // Then the charge's own sum may count what has come back.
    const failed = new Set(
      listed.flatMap(({ charge, status }) => (status === 'failed' && charge ? [charge.id] : [])),
    )
    const known = await findRows(deps.db, 'charges', 'stripe_charge_id', [...charges.keys()])
    const differences: UnconfirmedDifference[] = []
    for (const charge of charges.values()) {
      const row = known.get(charge.id)
      const have = row?.refunded_minor ?? 0
      if (have === charge.amount_refunded && !failed.has(charge.id)) continue
      const there = refundedMinor(await listRefunds(deps.stripe, charge.id))
      if (have === there) continue
      const origin = row ?? (await findChargeOrigin(deps, charge))
      if (!isOurs(origin)) continue
      differences.push(
        await moneyBack(deps.db, {
          kind: 'refund_differs',
          charge_id: charge.id,
          origin,
          currency: charge.currency.toUpperCase(),
          there,
          here: have,
        }),
      )
    }
    return { count: listed.length, differences }
  },
})

function listRefunds(stripe: Stripe, charge: string): Promise<Stripe.Refund[]> {
  return stripe.refunds.list({ charge, limit: 100 }).autoPagingToArray({ limit: 10_000 })
}

const disputeSchema = z.object({
  id: z.string(),
  amount: z.int(),
  currency: z.string(),
  status: z.string(),
  created: z.int(),
  charge: stripeReferenceSchema,
  balance_transactions: z.array(z.object({ amount: z.int(), created: z.int() })),
})
type Dispute = z.infer<typeof disputeSchema>

/** What disputes hold of each charge is what we know. */
export const disputes = pagesOf({
  name: 'disputes',
  list: (context, page) =>
    context.deps.stripe.disputes.list({ ...madeSince(context, longestDisputeMs), ...page }),
  async compare({ deps, now }, page) {
    const listed = z.array(disputeSchema).parse(page)
    const byCharge = Map.groupBy(listed, ({ charge }) => charge)
    const known = await findRows(deps.db, 'charges', 'stripe_charge_id', [...byCharge.keys()])
    const differences: UnconfirmedDifference[] = []
    for (const [charge_id, some] of byCharge) {
      const row = known.get(charge_id)
      const have = row?.disputed_minor ?? 0
      if (agrees(some, have)) continue
      // A charge may have been disputed more than once.
      const all = z
        .array(disputeSchema)
        .parse((await deps.stripe.disputes.list({ charge: charge_id, limit: 100 })).data)
      if (agrees(all, have) || all.some((dispute) => isYoung(fromSeconds(lastMoved(dispute)), now))) continue
      const origin = row ?? (await findOriginById(deps, charge_id))
      if (!isOurs(origin)) continue
      const [first] = all
      differences.push(
        await moneyBack(deps.db, {
          kind: 'dispute_differs',
          charge_id,
          origin,
          currency: (first?.currency ?? '').toUpperCase(),
          there: heldByMoney(all),
          here: have,
        }),
      )
    }
    return { count: listed.length, differences }
  },
})

/**
 * The balance transactions say where the money is; the status says where it is about to be. Only when both
 * disagree with what we have is it a difference. A status that we do not know leaves what we have as it is.
 */
function agrees(disputes: readonly Dispute[], have: number): boolean {
  const byStatus = disputes.map(disputedMinor)
  if (byStatus.includes(null)) return true
  return (
    heldByMoney(disputes) === have || byStatus.reduce((sum: number, held) => sum + (held ?? 0), 0) === have
  )
}

function heldByMoney(disputes: readonly Dispute[]): number {
  return disputes
    .filter(
      ({ balance_transactions }) => balance_transactions.reduce((sum, { amount }) => sum + amount, 0) < 0,
    )
    .reduce((sum, { amount }) => sum + amount, 0)
}

function lastMoved({ created, balance_transactions }: Dispute): number {
  return Math.max(created, ...balance_transactions.map((one) => one.created))
}

function isOurs({ intent_id, stripe_invoice_id }: ChargeOrigin): boolean {
  return intent_id !== null || stripe_invoice_id !== null
}

async function moneyBack(
  db: Database,
  found: {
    readonly kind: 'refund_differs' | 'dispute_differs'
    readonly charge_id: string
    readonly origin: ChargeOrigin
    readonly currency: string
    readonly there: number
    readonly here: number
  },
): Promise<UnconfirmedDifference> {
  const { kind, charge_id, origin, currency, there, here } = found
  const { owner_id, credits } = await whatItPaidFor(db, origin, there - here)
  return {
    kind,
    object_id: charge_id,
    owner_id,
    data: { there_minor: there, here_minor: here, currency },
    money: { amount_minor: there - here, currency },
    credits,
    repair: replayOf('charge', charge_id),
    refs: [charge_id],
  }
}

/**
 * Credits of a purchase follow its money in proportion; those of a plan depend on the month that they belong
 * to.
 */
async function whatItPaidFor(
  db: Database,
  { intent_id, stripe_invoice_id }: ChargeOrigin,
  minor: number,
): Promise<{ owner_id: string | null; credits: number | null }> {
  if (stripe_invoice_id !== null) {
    const lines = await findRows(db, 'paid_invoice_lines', 'stripe_invoice_id', [stripe_invoice_id])
    return { owner_id: lines.get(stripe_invoice_id)?.owner_id ?? null, credits: null }
  }
  const intent = intent_id === null ? undefined : await findIntent(db, intent_id)
  const credits = intent ? -Math.floor((intent.credits * minor) / intent.amount_minor) : null
  return { owner_id: intent?.owner_id ?? null, credits: credits === 0 ? null : credits }
}
