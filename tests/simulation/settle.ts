import { waitUntil } from '../support/wait-until.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { holdDifferences } from './hold-differences.ts'
import {
  belongings,
  givenForUnused,
  type Life,
  openHolds,
  openMonth,
  type Reserved,
  usagesByMonth,
} from './model.ts'
import { monthsOver, outliving } from './model-holds.ts'
import { type Owner, toldBelongings } from './owner.ts'
import { doublePages } from './owner-checkouts.ts'
import { awaitComparison } from './owner-colleagues.ts'
import { deliver, listLate } from './owner-events.ts'
import { releaseAnswer } from './owner-faults.ts'
import type { Turn } from './owner-history.ts'
import { unfinishedActs } from './owner-support.ts'
import { pass } from './pass.ts'
import { patience_ms } from './seed.ts'
import { whatHappened } from './what-happened.ts'

/** The product's own time: an hour, in which everything is retried, and the duration of that. */
const longest_s = 70 * 60

/** Delivers the rest of the events, and waits until product and model agree and nothing waits. */
export async function settle(
  product: FaultyProduct,
  owner: Owner,
  arrival: Pick<Turn, 'order' | 'times'>,
): Promise<void> {
  await deliver(product, owner, { ...arrival, share: 1 })
  await releaseAnswer(product, owner)
  await product.letStrike()
  await product.repair()
  await awaitComparison(product, owner)
  let passed_s = 0
  let readAfter_s = 120
  const lived = async (): Promise<Life> => {
    if (owner.reserved.holds.length > 0) await product.runTask('end_holds')
    const life = await whatHappened(product, owner)
    return { ...life, reserved: outliving(life, product.clock.now().getTime() / 1000) }
  }
  let life = await lived()
  const differences = () => differencesOf(product, owner, life)
  const agrees = async () => {
    await product.rest()
    if ((await differences()).length === 0) return true
    // The same time for all owners, so that what falls due in it happens at Stripe too.
    const seconds = Math.min(passed_s < 60 ? 10 : passed_s < 420 ? 60 : 300, longest_s - passed_s)
    if (seconds > 0) await pass(product, seconds)
    passed_s += seconds
    await deliver(product, owner, { share: 1, order: 'sent', times: 1 })
    // Every few minutes of the product's time, which the schedule does not go by.
    if (owner.dropped.size > 0 && passed_s >= readAfter_s) {
      await product.runTask('read_stripe_events')
      await listLate(product, owner)
      readAfter_s = passed_s + 300
    }
    if (owner.has_changed_team) await product.runTask('compare_seats')
    // What has become due is claimed now, so that nothing is compared that is about to change.
    await product.claim()
    life = await lived()
    return false
  }
  const what = async () =>
    `the model to agree, ${passed_s} s of the product’s time\n${(await differences()).join('\n')}\n${JSON.stringify(life)}`
  // However slow the machine is, the product gets its hour.
  const inTime = await waitUntil(
    async () => ((await agrees()) ? 'yes' : passed_s === longest_s && 'no'),
    what,
    10 * patience_ms,
  )
  if (inTime === 'no') await waitUntil(agrees, what, patience_ms)
  const now = product.clock.now().getTime() / 1000
  owner.usages.splice(0, owner.usages.length, ...usagesByMonth(life, now))
  owner.reserved = settledHolds(life, now)
  owner.has_changed_team = false
  await listLate(product, owner)
}

/** What has expired stays so, wherever our clock is set to, and what is resolved is counted to its month. */
function settledHolds(life: Life, now: number): Reserved {
  const open = openHolds(life, now)
  return {
    holds: life.reserved.holds.map((hold) =>
      open.includes(hold)
        ? hold
        : { ...hold, state: hold.state === 'open' ? 'expired' : hold.state, outlives: null },
    ),
    over: monthsOver(life, now),
  }
}

async function differencesOf(product: FaultyProduct, owner: Owner, life: Life): Promise<string[]> {
  const found = await toldBelongings(product, owner)
  const now = product.clock.now().getTime() / 1000
  const expected = belongings(life, now)
  const waiting = await product.database.owner
    .selectFrom('inbox_events')
    .select(['id', 'type', 'state', 'reason', 'last_error'])
    .where('id', 'in', ['', ...owner.delivered, ...owner.forged])
    .where('state', 'not in', ['applied', 'ignored'])
    .execute()
  const differences = waiting
    .filter(({ id, state }) => state === 'received' || !owner.forged.has(id))
    .map((event) => `waits: ${JSON.stringify(event)}`)
  for (const what of [
    'plan',
    'purchased',
    'held',
    'plan_held',
    'plan_type',
    'seats_total',
    'seats_used',
    'settled',
  ] as const) {
    if (JSON.stringify(found[what]) !== JSON.stringify(expected[what]))
      differences.push(
        `${what}: expected ${JSON.stringify(expected[what])}, found ${JSON.stringify(found[what])}`,
      )
  }
  // Equal numbers prove nothing: one may have left, and another not yet come.
  if (expected.seats_used > 0 && differences.length === 0)
    differences.push(...(await strangers(product, owner)))
  // Nor do equal balances: the old month's rest may equal the new month's grant.
  const month = openMonth(life, now)
  const latest = await latestMonth(product, owner)
  // Of several that are one, the books may have known another first.
  if (month && !month.begins.includes(latest ?? 0))
    differences.push(`month: expected ${month.begins}, found ${latest}`)
  differences.push(...(await doublePages(product, owner)), ...(await unfinishedActs(product, owner)))
  if (owner.replaced) differences.push(...(await unusedDifferences(product, owner.replaced, life)))
  if (differences.length === 0) differences.push(...(await holdDifferences(product, owner, life)))
  return differences
}

/** What is wrong with the end of a plan that Teams took the place of, and with what it gave back. */
async function unusedDifferences(
  { database, clock }: FaultyProduct,
  id: string,
  life: Life,
): Promise<string[]> {
  const row = await database.owner
    .selectFrom('subscriptions')
    .select(['ended_at', 'is_unfinished', 'unused_refund_minor'])
    .where('stripe_subscription_id', '=', id)
    .executeTakeFirst()
  // It is decided when nothing of the plan is held any more.
  if (
    row?.ended_at &&
    row.unused_refund_minor === null &&
    openHolds(life, clock.now().getTime() / 1000).length > 0
  )
    return []
  if (!row?.ended_at || row.is_unfinished) return [`replaced: ${JSON.stringify(row)}`]
  const expected = givenForUnused(life, clock.now().getTime() / 1000)
  const payments = life.subscriptions.at(-1)?.periods.map(({ payment }) => payment) ?? []
  const given = [...new Map(payments.map((payment) => [payment.id, payment])).values()].reduce(
    (sum, { given_for_unused }) => sum + given_for_unused,
    0,
  )
  return given === expected ? [] : [`unused: expected ${expected}, given back ${given}`]
}

/** Who holds a seat without being of the team. */
async function strangers({ database }: FaultyProduct, owner: Owner): Promise<string[]> {
  const rows = await database.owner
    .selectFrom('seats')
    .select('user_id')
    .where('organization_id', '=', owner.organization_id)
    .where('status', '=', 'active')
    .where('user_id', 'not in', [owner.person.user_id, ...owner.colleagues])
    .execute()
  return rows.map(({ user_id }) => `seat: of ${user_id}, who left`)
}

/** When the latest month began that the books know of, in seconds. */
async function latestMonth({ database }: FaultyProduct, owner: Owner): Promise<number | null> {
  const { starts_at } = await database.owner
    .selectFrom('ledger_grants')
    .select(({ fn }) => fn.max('month_starts_at').as('starts_at'))
    .where('owner_id', '=', owner.organization_id ?? owner.person.user_id)
    .executeTakeFirstOrThrow()
  return starts_at && starts_at.getTime() / 1000
}
