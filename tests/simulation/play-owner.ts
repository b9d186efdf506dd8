import { isDeepStrictEqual } from 'node:util'
import type { FaultyProduct } from './faulty-product.ts'
import { isMishap, strike } from './mishaps.ts'
import { openMonth, usagesByMonth } from './model.ts'
import { newOwner, type Owner } from './owner.ts'
import {
  appeal,
  atStripe,
  changeSubscription,
  chargesOf,
  closeDispute,
  disputeCharge,
  failRefund,
  findOpenInvoice,
  latestSubscription,
} from './owner-at-stripe.ts'
import {
  comeBack,
  leavePage,
  openPurchase,
  purchase,
  replaceByTeams,
  sellWrongly,
  subscribe,
} from './owner-checkouts.ts'
import { joinTeam, leaveTeam } from './owner-colleagues.ts'
import { deleteOwner } from './owner-deletion.ts'
import { claimFree, deliver, deliverDamaged } from './owner-events.ts'
import { holdAnswer, loseJobs, loseStripe } from './owner-faults.ts'
import { isHoldStep, type OwnerHistory, type OwnerStep, type Turn } from './owner-history.ts'
import { atEditor } from './owner-holds.ts'
import { askSupport, refundBySupport } from './owner-support.ts'
import { pass } from './pass.ts'
import { ignoreCut } from './play.ts'
import { settle } from './settle.ts'
import { use } from './use.ts'
import { whatHappened } from './what-happened.ts'

const day_s = 86_400

/** Steps after which usage is posted while events are under way, because they give nothing back. */
const plainKinds: ReadonlySet<OwnerStep['do']> = new Set([
  'use',
  'hold',
  'settle',
  'release',
  'extend',
  'fail',
  'budget',
  'days',
  'minutes',
  'period_end',
  'deliver',
  'redeliver',
  'drop',
  'purchase',
  'set_clock',
  'lose_jobs',
])

/** Plays a history of an owner, and compares the product with the model after each turn. */
export async function playOwner(product: FaultyProduct, history: OwnerHistory): Promise<Owner> {
  const owner = await newOwner(product, history)
  try {
    if (history.is_sold_wrongly) await sellWrongly(product, owner)
    for (const turn of history.turns) await playTurn(product, owner, turn)
    if (history.is_deleted) await deleteOwner(product, owner, history.heard_late_s ?? 0)
  } finally {
    await endQuietly(product, owner)
  }
  return owner
}

/** The same of two owners, turn by turn: what happens to one falls into the other's life. */
export async function playTogether(
  product: FaultyProduct,
  histories: readonly [OwnerHistory, OwnerHistory],
): Promise<void> {
  const lives: { owner: Owner; history: OwnerHistory }[] = []
  for (const history of histories) lives.push({ owner: await newOwner(product, history), history })
  try {
    const turns = Math.max(...histories.map((history) => history.turns.length))
    for (let index = 0; index < turns; index++) {
      for (const { owner, history } of lives) {
        const turn = history.turns[index]
        if (!turn) continue
        // Of the other one's turn only time and troubles concern this owner.
        if (index > 0) await settle(product, owner, turn)
        await playTurn(product, owner, turn)
      }
    }
    for (const { owner, history } of lives)
      if (history.is_deleted) await deleteOwner(product, owner, history.heard_late_s ?? 0)
  } finally {
    for (const { owner } of lives) await endQuietly(product, owner)
  }
}

const longestMonth_s = 31 * day_s

export async function playTurn(product: FaultyProduct, owner: Owner, turn: Turn): Promise<void> {
  // What a month covers when it begins depends on what had gone back by then.
  const isPlain = turn.steps.every((step) => plainKinds.has(step.do))
  const begun = product.timeAtStripe()
  // A worker that has not run for months has not begun them, and usage then is of a month long past.
  const isLong = () => product.timeAtStripe() - begun > longestMonth_s
  let isSettled = true
  let isExact = false
  for (const step of turn.steps) {
    if (step.do === 'use' || isHoldStep(step)) {
      // A limit is raised for the period that the product knows.
      if (!isSettled && (!isPlain || isLong() || step.do === 'budget')) {
        await settle(product, owner, turn)
        isSettled = true
      }
      if (step.do === 'use') await use(product, owner, { ...step, isSettled })
      else await atEditor(product, owner, { step, isSettled })
      continue
    }
    const isShort = step.do === 'minutes' || (step.do === 'period_end' && step.after_s < 0)
    if (isShort && isSettled) {
      isSettled = await passQuietly(product, owner, step)
      continue
    }
    const hasHolds = owner.reserved.holds.some(({ state }) => state === 'open')
    // What a month keeps for its holds depends on what had gone back by its end.
    const isHeld = hasHolds && !isSettled && !plainKinds.has(step.do)
    // What is sold by hand at another price contradicts an order that is not settled yet.
    const isAgreedLater = step.do === 'make_anew' && !isSettled
    const isTakenLater = takesBack.has(step.do) && (await isMonthUnheard(product, owner))
    // What a plan gives back depends on what the product knows when it ends.
    const isGivenBack = step.do === 'to_teams' && !isSettled
    if (isAgreedLater || isTakenLater || isGivenBack || isHeld) await settle(product, owner, turn)
    // So that Stripe's times have the order of the steps.
    if (!isExact) await pass(product, 1)
    isExact = step.do === 'period_end' && step.after_s === 0
    await take(product, owner, step, isSettled)
    if (owner.replaced) await endTeams(product, owner, turn)
    // A part that goes back before the rest is paid counts from when it is heard (rule 9).
    isSettled = takesBack.has(step.do) && (await findOpenInvoice(product, owner)) !== undefined
    if (isSettled) await settle(product, owner, turn)
  }
  if (!isSettled || turn.steps.some(isHoldStep)) await settle(product, owner, turn)
}

/** Lets time pass, and says whether nothing else happens in it. */
async function passQuietly(product: FaultyProduct, owner: Owner, step: OwnerStep): Promise<boolean> {
  const seen = async () => {
    const life = await whatHappened(product, owner)
    return { life, month: openMonth(life, product.clock.now().getTime() / 1000) }
  }
  const before = await seen()
  await take(product, owner, step, true)
  return isDeepStrictEqual(before, await seen())
}

/** When the plan has ended and given back what is unused, Teams ends too, which revives nothing. */
async function endTeams(product: FaultyProduct, owner: Owner, turn: Turn): Promise<void> {
  await settle(product, owner, turn)
  // What is unused is not known before.
  if (owner.reserved.holds.some(({ state }) => state === 'open')) return
  owner.replaced = null
  const { subscription = '' } = owner.teams.at(-1) ?? {}
  await atStripe(product, owner, (stripe) => stripe.subscriptions.cancel(subscription))
}

const takesBack = new Set<string>(['refund', 'dispute'])

/** Whether a paid month covers usage that the product does not know to be of it. */
async function isMonthUnheard(product: FaultyProduct, owner: Owner): Promise<boolean> {
  const life = await whatHappened(product, owner)
  return !isDeepStrictEqual(usagesByMonth(life, product.clock.now().getTime() / 1000), life.usages)
}

async function take(product: FaultyProduct, owner: Owner, step: OwnerStep, mustOpen: boolean): Promise<void> {
  if (isMishap(step)) return strike(product, step)
  switch (step.do) {
    case 'plan':
      return subscribe(product, owner, { plan: step, mustOpen })
    case 'page':
      return leavePage(product, owner, { page: step, mustOpen })
    case 'to_teams':
      return void (await replaceByTeams(product, owner))
    case 'purchase':
      return purchase(product, owner, { credits: step.credits, mustOpen })
    case 'use':
    case 'hold':
    case 'settle':
    case 'release':
    case 'extend':
    case 'fail':
    case 'budget':
      return
    case 'minutes':
      return pass(product, step.minutes * 60)
    case 'days':
      return pass(product, step.days * day_s)
    case 'deliver':
      return deliver(product, owner, { share: step.share, order: 'sent', times: 1 })
    case 'redeliver':
      return deliver(product, owner, { share: step.share, order: 'shuffled', times: 1, again: true })
    case 'drop':
      return deliver(product, owner, { share: step.share, order: 'shuffled', times: 0, late: step.late })
    case 'damage':
      return deliverDamaged(product, owner)
    case 'hold_answer':
      return holdAnswer(product, owner, step.of)
    case 'return':
      return comeBack(product, owner)
    case 'set_clock':
      return product.setClock(step.ahead_s)
    case 'outage':
      return loseStripe(product, owner, step.hours)
    case 'lose_jobs':
      return loseJobs(product, owner, step.hours)
    case 'claim_free': {
      if (owner.kind === 'team') return
      const answer = await openPurchase(product, owner, 500).catch(ignoreCut)
      if (answer?.status === 200)
        await claimFree(product, owner, (answer.body as { sessionId: string }).sessionId)
      return
    }
    case 'refund':
    case 'dispute': {
      const charges = await chargesOf(product, owner)
      const charge = charges[step.payment % Math.max(1, charges.length)]
      if (!charge) return
      const amount = Math.min(
        Math.ceil((charge.amount * step.percent) / 100),
        charge.amount - charge.amount_refunded,
      )
      if (amount <= 0) return
      if (step.do === 'refund' && step.by === 'support')
        await refundBySupport(product, owner, { charge, amount })
      else if (step.do === 'refund')
        await atStripe(product, owner, (stripe) => stripe.refunds.create({ charge: charge.id, amount }))
      else await disputeCharge(product, owner, { ...step, charge, amount })
      return
    }
    case 'fail_refund':
      return failRefund(product, owner)
    case 'close_dispute':
      return closeDispute(product, owner, step.outcome)
    case 'appeal':
      return appeal(product, owner)
    case 'support':
      return askSupport(product, owner, step)
    case 'join_team':
      return joinTeam(product, owner)
    case 'leave_team':
      return leaveTeam(product, owner)
    case 'delete_customer':
      for (const customer of [...owner.customers].slice(-1))
        await atStripe(product, owner, (stripe) => stripe.customers.del(customer))
      return
    case 'credit_balance':
      for (const customer of [...owner.customers].slice(-1))
        await atStripe(product, owner, (stripe) =>
          stripe.customers.createBalanceTransaction(customer, {
            amount: -step.amount,
            currency: owner.currency.toLowerCase(),
          }),
        )
      return
  }
  const subscription = await latestSubscription(product, owner)
  if (subscription) await changeSubscription(product, owner, { subscription, step })
}

/** So that the clock of the histories that follow has nothing to renew. */
async function endQuietly(product: FaultyProduct, owner: Owner): Promise<void> {
  await product.repair()
  product.setClock(0)
  const subscription = await latestSubscription(product, owner)
  if (!subscription || subscription.ended_at) return
  await atStripe(product, owner, (stripe) => stripe.subscriptions.cancel(subscription.id))
  await deliver(product, owner, { share: 1, order: 'sent', times: 1 })
}
