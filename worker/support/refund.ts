import type Stripe from 'stripe'
import { sumFigure } from '../../schema/api/failures.ts'
import { type Refund, refundOf } from '../../schema/api/support-acts.ts'
import { findIntent } from '../../schema/billing/checkout/intents.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import type { SupportActRow } from '../../schema/support/acts.ts'
import { idOf } from '../../schema/vendors/stripe/events.ts'
import { listPaymentsOf } from '../../schema/vendors/stripe/refund-unused-part.ts'
import { refundedMinor } from '../../schema/vendors/stripe/statuses.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { applyFetched, fetchSubject } from '../events/sync-subject.ts'
import { requireCredits } from '../events/terms.ts'
import { type DoAct, onceAtStripe } from './act.ts'

/**
 * The metadata of a refund that names its act. Stripe may forget an idempotency key after a day
 * (https://docs.stripe.com/api/idempotent_requests), so a try that comes again looks for it first.
 */
const madeBy = 'supportAct'

/**
 * Gives money of a payment back at Stripe, once for each act, and brings its charge up to date as an event
 * does. A dry run applies the charge as Stripe would have it.
 */
export const refund: DoAct = async (deps, act) => {
  const asked = refundOf(act.params)
  if (!asked) throw new PermanentError('not_an_act', { kind: act.kind, target_kind: act.target_kind })
  const { stripe } = deps
  const charges = await listCharges(deps, act)
  const refunds: Stripe.Refund[] = []
  for (const { id } of charges)
    for await (const one of stripe.refunds.list({ charge: id, limit: 100 })) refunds.push(one)
  const earlier = refunds.find(({ metadata }) => metadata?.[madeBy] === act.id)
  const charge = earlier?.charge
    ? idOf(earlier.charge)
    : await chooseCharge(stripe, { charges, asked, refunded_minor: refundedMinor(refunds) })
  const made = earlier ?? (act.is_dry_run ? null : await refundAtStripe(stripe, { charge, asked, act }))
  if (made && refundedMinor([made]) === 0)
    throw new PermanentError('stripe_refuses', { says: made.failure_reason ?? `${made.status}` })
  const debt = await applyRefund(deps, act, { charge, to_come_minor: made ? 0 : asked.amount_minor })
  const before = refundedMinor(refunds) - (earlier ? asked.amount_minor : 0)
  const isOpen = made !== null && made.status !== 'succeeded'
  const after = `${money(before + asked.amount_minor, asked)}${isOpen ? `, ${made.status} at Stripe` : ''}`
  return { changes: [{ what: 'refunded', id: charge, before: money(before, asked), after }, ...debt] }
}

const money = (minor: number, { currency }: Pick<Refund, 'currency'>) => sumFigure(minor, currency)
const paymentIs = (state: string) => ['has_state', { what: 'payment', state }] as const

/** Those of the payments of a checkout of credits, or of a plan's invoice. */
async function listCharges(
  { db, stripe }: Pick<WorkerDependencies, 'db' | 'stripe'>,
  { target_kind, target_id }: SupportActRow,
): Promise<Stripe.Charge[]> {
  const intent = target_kind === 'intent' ? await findIntent(db, target_id) : null
  if (intent) requireCredits(intent)
  const invoice = intent ? intent.stripe_invoice_id : target_id
  const session = intent?.stripe_session_id
  const paid = invoice
    ? (await listPaymentsOf(stripe, invoice)).map((payment) => payment.payment_intent)
    : [session && (await stripe.checkout.sessions.retrieve(session)).payment_intent]
  const charges: Stripe.Charge[] = []
  for (const payment of paid)
    if (payment)
      charges.push(...(await stripe.charges.list({ payment_intent: idOf(payment), limit: 100 })).data)
  return charges
}

/** The id of the charge to refund. Throws PermanentError where Stripe would refuse it, or it has changed. */
async function chooseCharge(
  stripe: Stripe,
  {
    charges,
    asked,
    refunded_minor,
  }: { charges: readonly Stripe.Charge[]; asked: Refund; refunded_minor: number },
): Promise<string> {
  const settled = charges.filter(({ status }) => status === 'succeeded')
  const [first] = settled
  if (!first)
    throw new PermanentError(
      ...(charges.some(({ status }) => status === 'pending')
        ? paymentIs('pending')
        : (['nothing_paid'] as const)),
    )
  const currency = first.currency.toUpperCase()
  requireSame(first.id, 'currency', asked.currency, currency)
  requireSame(first.id, 'refunded', money(asked.refunded_minor, asked), money(refunded_minor, asked))
  const leftOf = ({ amount, amount_refunded }: Stripe.Charge) => amount - amount_refunded
  const charge = settled.find((one) => leftOf(one) >= asked.amount_minor)
  if (!charge) {
    const left = money(Math.max(...settled.map(leftOf)), asked)
    throw new PermanentError('more_than_left', { asked: money(asked.amount_minor, asked), left })
  }
  const { data: disputes } = await stripe.disputes.list({ charge: charge.id, limit: 100 })
  // https://docs.stripe.com/api/disputes/object#dispute_object-is_charge_refundable
  if (disputes.some(({ is_charge_refundable }) => !is_charge_refundable))
    throw new PermanentError(...paymentIs('disputed'))
  return charge.id
}

function requireSame(id: string, differing: 'currency' | 'refunded', expected: string, found: string): void {
  if (expected !== found) throw new PermanentError('differs', { id, in: differing, expected, found })
}

async function refundAtStripe(
  stripe: Stripe,
  { charge, asked, act }: { charge: string; asked: Refund; act: SupportActRow },
): Promise<Stripe.Refund> {
  const { amount_minor: amount, stripe_reason: reason } = asked
  const made = await stripe.refunds.create(
    { charge, amount, ...(reason && { reason }), metadata: { [madeBy]: act.id } },
    onceAtStripe(act),
  )
  // What Stripe answered to the first try may be old.
  return stripe.refunds.retrieve(made.id)
}

/** The way of an event; `to_come_minor` is what Stripe would have refunded. Returns the change of the debt. */
async function applyRefund(
  deps: WorkerDependencies,
  { owner_id, requested_by: actor }: SupportActRow,
  { charge: id, to_come_minor }: { charge: string; to_come_minor: number },
) {
  const debtOf = async () => Math.max(0, -(await findBalance(deps.db, owner_id ?? '')).total)
  const fetched = await fetchSubject(deps, { of: 'charge', id })
  if (fetched.of !== 'charge') throw new PermanentError('not_sold', { id })
  const { charge } = fetched
  const told = { ...fetched, charge: { ...charge, refunded_minor: charge.refunded_minor + to_come_minor } }
  const before = await debtOf()
  await retryTransaction(deps.db, (trx) =>
    applyFetched(trx, told, { event_id: null, actor, now: deps.now() }),
  )
  const after = await debtOf()
  return before === after ? [] : [{ what: 'debt', id: null, before, after }]
}
