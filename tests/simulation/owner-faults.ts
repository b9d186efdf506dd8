import { waitUntil } from '../support/wait-until.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import { latestSubscription } from './owner-at-stripe.ts'
import { deliver, deliverInto } from './owner-events.ts'
import { pass } from './pass.ts'

const minute_s = 60

/** Stripe does not answer for so long, while pending events arrive. */
export async function loseStripe(product: FaultyProduct, owner: Owner, hours: number): Promise<void> {
  await deliverInto(product, owner, async () => {
    await product.stripe.knob('faults', { status: 503 })
  })
  await passWithSweeps(product, hours * 60 * minute_s, Number.POSITIVE_INFINITY)
  await product.stripe.clear('faults')
}

/** For so long each job is lost before a worker begins it. */
export async function loseJobs(product: FaultyProduct, owner: Owner, hours: number): Promise<void> {
  await deliverInto(product, owner, () => product.pauseQueues())
  await passWithSweeps(product, hours * 60 * minute_s, 10 * minute_s)
  await product.loseQueues()
}

/** Passes time in growing steps, like the waits between tries, so that every try is made. */
async function passWithSweeps(product: FaultyProduct, seconds: number, longestStep: number): Promise<void> {
  let step = 1
  for (let left = seconds; left > 0; left -= step) {
    step = Math.min(left, step * 2, longestStep)
    await pass(product, step)
    await product.claim()
  }
}

/** Makes the worker fetch a subscription or charge, and delays the answer until the turn is settled. */
export async function holdAnswer(
  product: FaultyProduct,
  owner: Owner,
  of: 'subscription' | 'charge',
): Promise<void> {
  const subscription = of === 'subscription' ? await latestSubscription(product, owner) : null
  if (owner.is_holding || (of === 'subscription' && !subscription)) return
  // Or the event whose try is held would be tried again, and settled, before the first try ends.
  product.setClaimAfter(minute_s * 1000)
  await product.stripe.knob('faults', { hold: true, count: 1, method: 'GET', path_prefix: `/v1/${of}s/` })
  if (subscription) await product.syncSubscription(subscription.id)
  else await deliver(product, owner, { share: 1, order: 'sent', times: 1 })
  const end = await waitUntil(
    async () => ((await product.heldAnswers()) > 0 ? 'held' : (await product.isIdle()) && 'idle'),
    'the worker to fetch',
    2000,
  ).catch(() => 'idle')
  owner.is_holding = end === 'held'
  if (!owner.is_holding) await release(product, owner)
}

/** Lets the answer come that is held back, now that later ones were worked with. */
export async function releaseAnswer(product: FaultyProduct, owner: Owner): Promise<void> {
  if (!owner.is_holding) return
  const others = async () => (await product.countJobs()) <= (await product.heldAnswers())
  await waitUntil(others, 'the later fetches', 2000).catch(() => undefined)
  await release(product, owner)
  await waitUntil(() => product.isIdle(), 'the fetch that was held back', 2000).catch(() => undefined)
}

async function release(product: FaultyProduct, owner: Owner): Promise<void> {
  await product.stripe.clear('faults')
  product.setClaimAfter(null)
  owner.is_holding = false
}
