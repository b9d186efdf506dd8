import { expect, test } from 'vitest'
import { createLogger } from '../schema/log.ts'
import { buildAct } from '../tests/support/factories/acts.ts'
import { receiveCheckoutEvent, receiveStripeEvent } from '../tests/support/factories/events.ts'
import {
  buildOpenCredits,
  buildPaidCredits,
  buildPaidPlan,
  buyCredits,
} from '../tests/support/factories/paid-purchases.ts'
import { buildUser } from '../tests/support/factories/users.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'
import { trustingStaff } from '../tests/support/product/test-worker.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { tryEvent } from './events/try-event.ts'
import { processCheckoutCompletion } from './jobs/checkout-completion.ts'
import { processSubscriptionSync } from './jobs/subscription-sync.ts'
import { processSupportAct } from './support/support-act.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product

/** The worker with a log that is read: what it wrote while it did the work. */
async function linesOf(work: (deps: WorkerDependencies) => Promise<unknown>) {
  const written: string[] = []
  const log = createLogger({
    process: 'worker',
    level: 'debug',
    destination: { write: (line) => written.push(line) },
  })
  await work({ ...worker.deps, ...trustingStaff, log }).catch(() => undefined)
  return written.map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function transfersOf(ownerId: string): Promise<number[]> {
  const transfers = database.owner.selectFrom('ledger_transfers').select('id').where('owner_id', '=', ownerId)
  return (await transfers.orderBy('id').execute()).map(({ id }) => id)
}

test('the line of a paid checkout names event, checkout, session and transfer', async () => {
  const { intent_id, session_id, owner_id } = await buildPaidCredits(product)
  const id = await receiveCheckoutEvent(database.server, { intent_id, session_id })
  const lines = await linesOf((deps) => tryEvent(deps, { source: 'stripe', id }))
  const ids = { event_id: id, intent_id, session_id, transfer_ids: await transfersOf(owner_id) }
  expect(lines).toEqual([expect.objectContaining({ ...ids, msg: 'Event processed' })])
})

test('the line of an event that cannot be applied names event, checkout and session', async () => {
  const { intent_id } = await buildOpenCredits(product)
  const id = await receiveCheckoutEvent(database.server, { intent_id, session_id: 'cs_gone' })
  const lines = await linesOf((deps) => tryEvent(deps, { source: 'stripe', id }))
  expect(lines).toEqual([
    expect.objectContaining({
      event_id: id,
      intent_id,
      session_id: 'cs_gone',
      msg: 'The event has failed and needs a person',
    }),
  ])
})

test('each line of a plan, of its claim and of a refund names what was paid and what was posted', async () => {
  const plan = await buildPaidPlan(product, { plan_type: 'pro' })
  const lines = await linesOf(async (deps) => {
    for (const event of await stripe.takeEvents()) {
      const id = await receiveStripeEvent(database.server, event as never)
      await tryEvent(deps, { source: 'stripe', id })
    }
    await processSubscriptionSync(deps, { subscription_id: plan.subscription_id ?? '' })
  })
  const named = { subscription_id: plan.subscription_id, intent_id: plan.intent_id }
  const posted = lines.filter((line) => 'transfer_ids' in line)
  expect(posted).toEqual([
    expect.objectContaining({ ...named, event_id: expect.any(String), session_id: expect.any(String) }),
  ])
  expect(posted[0]?.transfer_ids).toEqual(await transfersOf(plan.owner_id))
  expect(lines.at(-1)).toMatchObject({ ...named, msg: 'Subscription synced' })
})

test('the line of a refund names its charge, the checkout that it paid and what was taken back', async () => {
  const bought = await buyCredits(product)
  const before = await transfersOf(bought.owner_id)
  const { data } = await stripe.client.charges.list({ customer: bought.customer_id, limit: 1 })
  await stripe.client.refunds.create({ charge: data[0]?.id ?? '' })
  const lines = await linesOf(async (deps) => {
    for (const event of await stripe.takeEvents()) {
      const id = await receiveStripeEvent(database.server, event as never)
      await tryEvent(deps, { source: 'stripe', id })
    }
  })
  const processed = lines.filter(({ msg }) => msg === 'Event processed')
  expect(processed.length).toBeGreaterThan(1)
  for (const line of processed)
    expect(line).toMatchObject({ charge_id: data[0]?.id, intent_id: bought.intent_id })
  const posted = (await transfersOf(bought.owner_id)).filter((id) => !before.includes(id))
  expect(processed.flatMap((line) => line.transfer_ids ?? [])).toEqual(posted)
})

test('the lines of a checkout that is completed, or cannot be, name checkout, session and transfer', async () => {
  const { intent_id, session_id, owner_id } = await buildOpenCredits(product)
  await stripe.knob(`sessions/${session_id}/pay`)
  const [line] = await linesOf((deps) => processCheckoutCompletion(deps, { intent_id, cause: 'schedule' }))
  const transfer_ids = await transfersOf(owner_id)
  expect(line).toMatchObject({ intent_id, session_id, transfer_ids, msg: 'Checkout synced' })
})

test('the line of an act names act, target and transfer, and not the note for the customer', async () => {
  const user_id = await buildUser(database.server)
  const adjustment = { credits: 70, customer_note: 'Sorry for the lost evening', may_leave_debt: false }
  const act = await buildAct(database, {
    kind: 'adjust',
    target: { kind: 'user', id: user_id },
    params: { adjustment },
  })
  const lines = await linesOf((deps) => processSupportAct(deps, { act_id: act.id }))
  const transfer_ids = await transfersOf(user_id)
  expect(lines).toEqual([
    expect.objectContaining({ act_id: act.id, user_id, transfer_ids, outcome: 'changed' }),
  ])
  expect(JSON.stringify(lines)).not.toContain('lost evening')
})
