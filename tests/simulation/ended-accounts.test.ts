import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { isLong } from '../support/long.ts'
import { madeOnce } from '../support/made.ts'
import { tried } from '../support/tried.ts'
import { type FaultyProduct, startFaultyProduct } from './faulty-product.ts'
import { newOwner, type Owner } from './owner.ts'
import { chargesOf, closeDispute, disputeCharge, latestSubscription } from './owner-at-stripe.ts'
import { openPurchase } from './owner-checkouts.ts'
import { closeAccount, hearOfClerk } from './owner-deletion.ts'
import { deliver } from './owner-events.ts'
import type { OwnerStep, PlannedPlan, Turn } from './owner-history.ts'
import { pass } from './pass.ts'
import { ignoreRefusal } from './play.ts'
import { playTurn } from './play-owner.ts'

const minute_s = 60
const day_s = 86_400

/** What is left of an account, in cents and credits: from the prices and rules, on paper. */
interface Paper {
  /** What the customer paid, without what went back or was lost in a dispute. */
  readonly kept_minor: number
  /** What payments brought, without what was taken back with their money. */
  readonly plan: number
  readonly purchased: number
}

interface Ending {
  readonly title: string
  readonly kind: Owner['kind']
  readonly turns: readonly OwnerStep[]
  /** The customer's last act before the deletion. */
  readonly leave?: (product: FaultyProduct, owner: Owner) => Promise<void>
  /** What happens at Stripe afterwards, in less than a week. */
  readonly after: (product: FaultyProduct, owner: Owner) => Promise<void>
  readonly paper: Paper
  /** Where it differs when the deletion is heard of last. */
  readonly paperWhenLate?: Paper
}

const plan: PlannedPlan = { do: 'plan', frequency: 'monthly', seats: 2, trial_days: 0, card: 'pays' }
const usesHalf = { do: 'use', percent: 50, reports: 1 } as const
const reserves = { do: 'hold', amount: 100, minutes: 60, editor: 0, times: 1 } as const

async function openPage(product: FaultyProduct, owner: Owner): Promise<void> {
  const { body } = await openPurchase(product, owner, 500)
  owner.sessions.push({ id: (body as { sessionId: string }).sessionId, buys: 'credits', credits: 500 })
}
const atPage = async (product: FaultyProduct, owner: Owner, does: string, means: object) =>
  product.stripe.knob(`sessions/${owner.sessions.at(-1)?.id}/${does}`, means).catch(ignoreRefusal)

const paidAfterwards: Pick<Ending, 'turns' | 'leave' | 'after'> = {
  turns: [plan],
  leave: openPage,
  after: (product, owner) => atPage(product, owner, 'pay', {}) as Promise<void>,
}

const endings: readonly Ending[] = [
  {
    title: 'a person with an open payment page, who pays it after the deletion',
    kind: 'user',
    ...paidAfterwards,
    paper: { kept_minor: 2000, plan: 500, purchased: 0 },
  },
  {
    title: 'an organization with an open payment page, which is paid after the deletion',
    kind: 'team',
    ...paidAfterwards,
    paper: { kept_minor: 6000, plan: 1000, purchased: 0 },
  },
  {
    title: 'a person whose bank confirms a debit days after the deletion',
    kind: 'user',
    turns: [plan],
    async leave(product, owner) {
      await openPage(product, owner)
      await atPage(product, owner, 'pay', { method: 'delayed' })
    },
    async after(product, owner) {
      await pass(product, 3 * day_s)
      await atPage(product, owner, 'settle', { outcome: 'succeeded' })
    },
    paper: { kept_minor: 2000, plan: 500, purchased: 0 },
    // It was paid before the deletion, and granted before that is heard of: people decide.
    paperWhenLate: { kept_minor: 2700, plan: 500, purchased: 500 },
  },
  {
    title:
      'a person in the middle of a month with usage and an open hold, whose payment is disputed and lost later',
    kind: 'user',
    turns: [plan, usesHalf, reserves],
    async after(product, owner) {
      await pass(product, day_s)
      const [charge] = await chargesOf(product, owner)
      if (!charge) throw new Error('Nothing was paid')
      await disputeCharge(product, owner, { charge, amount: 2000, answered: true, is_inquiry: false })
      await pass(product, day_s)
      await closeDispute(product, owner, 'lost')
    },
    paper: { kept_minor: 0, plan: 0, purchased: 0 },
  },
  {
    title: 'a person whose plan would be renewed after the deletion',
    kind: 'user',
    turns: [plan, { do: 'purchase', credits: 500 }, { do: 'period_end', after_s: -30 * minute_s }],
    after: (product) => pass(product, day_s),
    paper: { kept_minor: 2700, plan: 500, purchased: 500 },
  },
  {
    title:
      'an organization in the middle of a month with an open hold, a part of whose payment is refunded later',
    kind: 'team',
    turns: [plan, reserves],
    async after(product, owner) {
      const [charge] = await chargesOf(product, owner)
      await product.stripe.client.refunds.create({ charge: charge?.id ?? '', amount: 1500 })
    },
    paper: { kept_minor: 4500, plan: 750, purchased: 0 },
  },
]

async function leftOf(product: FaultyProduct, owner: Owner): Promise<Paper> {
  const { rows } = await sql<{ name: string; credits: number }>`
    SELECT account.name, sum(entry.amount)::integer AS credits
    FROM ledger_transfers transfer
    JOIN ledger_entries entry ON entry.owner_id = transfer.owner_id AND entry.transfer_id = transfer.id
    JOIN ledger_accounts account ON account.id = entry.account_id
    WHERE transfer.owner_id = ${owner.organization_id ?? owner.person.user_id}
      AND transfer.kind NOT IN ('usage', 'usage_moved', 'expiry', 'write_off')
    GROUP BY account.name`.execute(product.database.owner)
  const brought = (name: string) => rows.find((row) => row.name === name)?.credits ?? 0
  const kept = (await chargesOf(product, owner)).map(async ({ id, amount, amount_refunded, disputed }) => {
    const disputes = disputed ? (await product.stripe.client.disputes.list({ charge: id })).data : []
    const lost = disputes.filter(({ status }) => status === 'lost').map((dispute) => dispute.amount)
    return amount - amount_refunded - lost.reduce((sum, one) => sum + one, 0)
  })
  const kept_minor = (await Promise.all(kept)).reduce((sum, one) => sum + one, 0)
  return { kept_minor, plan: brought('plan'), purchased: brought('purchased') }
}

/** Until nothing is left to do, in an hour of the product's time. */
async function comeToRest(product: FaultyProduct, owner: Owner, turn: Omit<Turn, 'steps'>): Promise<void> {
  await deliver(product, owner, { ...turn, share: 1 })
  for (let minutes = 0; minutes < 66; minutes += 6) {
    await product.claim()
    await pass(product, 6 * minute_s)
    await deliver(product, owner, { ...turn, share: 1 })
    await product.rest()
  }
}

/**
 * The only admin of a team closes their account; a colleague is there, whom Clerk's dashboard can make an admin.
 * Returns how many months were charged in the two that follow, and what they brought.
 */
async function loseAdmin(product: FaultyProduct, order: Turn['order'], comesBack: boolean) {
  const owner = await newOwner(product, { owner: 'team' })
  const turn = { order, times: 1 }
  for (const step of [plan, { do: 'join_team' }] as const)
    await playTurn(product, owner, { ...turn, steps: [step] })
  const [colleague = ''] = owner.colleagues
  const hear = async (kind: string) => {
    for (const event of await product.clerk.listEvents(kind)) await hearOfClerk(product, event)
    await product.clerk.forgetEvents()
    await comeToRest(product, owner, turn)
  }
  await hear('organizationMembership')
  await hearOfClerk(product, await closeAccount(product, { ...owner, organization_id: null }))
  await comeToRest(product, owner, turn)
  expect(await latestSubscription(product, owner)).toMatchObject({ cancel_at_period_end: true })
  if (comesBack) {
    const key = { organizationId: owner.organization_id ?? '', userId: colleague }
    await product.clerk.client.organizations.updateOrganizationMembership({ ...key, role: 'org:admin' })
    await hear('organizationMembership')
  }
  for (let month = 0; month < 2; month++) {
    await pass(product, 31 * day_s)
    await comeToRest(product, owner, turn)
  }
  return leftOf(product, owner)
}

describe('on Postgres', () => {
  const product = madeOnce(
    () => startFaultyProduct({ redisUrl: undefined }),
    async (made) => {
      const { problems } = await verifyLedger(made.database.owner)
      await made.close()
      expect(problems).toEqual([])
    },
  )

  const ways = [
    { heard: 'in time', order: 'sent', times: 1 },
    { heard: 'last', order: 'reversed', times: 2 },
    ...(isLong
      ? ([
          { heard: 'in time', order: 'reversed', times: 2 },
          { heard: 'in time', order: 'shuffled', times: 1 },
          { heard: 'last', order: 'sent', times: 1 },
          { heard: 'last', order: 'shuffled', times: 3 },
        ] as const)
      : []),
  ] as const

  test.each(endings.flatMap((ending) => ways.map((way) => ({ ...ending, ...way }))))(
    'what was paid is in the books or went back: $title; the deletion is heard $heard, events come $order',
    async ({ kind, turns, leave, after, paper, paperWhenLate, heard, order, times }) => {
      tried({ histories: 1 })
      const owner = await newOwner(product, { owner: kind })
      for (const step of turns) await playTurn(product, owner, { steps: [step], order: 'sent', times: 1 })
      await leave?.(product, owner)
      await deliver(product, owner, { share: 1, order: 'sent', times: 1 })
      await product.claim()
      // A month that ends in the second in which it began is none.
      await pass(product, minute_s)
      const deletion = await closeAccount(product, owner)
      if (heard === 'in time') {
        await hearOfClerk(product, deletion)
        // The event makes rows due, which are claimed after it.
        await product.claim()
        await product.claim()
      }
      // Stripe's times are whole seconds: what is charged in that of the deletion came before it.
      await pass(product, minute_s)
      await after(product, owner)
      await comeToRest(product, owner, { order, times })
      if (heard === 'last') {
        await hearOfClerk(product, deletion)
        await comeToRest(product, owner, { order, times })
      }
      expect(await leftOf(product, owner)).toEqual((heard === 'last' && paperWhenLate) || paper)
      const { data } = await product.stripe.client.checkout.sessions.list({ status: 'open', limit: 100 })
      expect(data.filter(({ id }) => owner.sessions.some((session) => session.id === id))).toEqual([])
      expect((await latestSubscription(product, owner))?.status).toBe('canceled')
    },
  )

  test.each([
    { comesBack: false, paper: { kept_minor: 6000, plan: 1000, purchased: 0 } },
    { comesBack: true, paper: { kept_minor: 18_000, plan: 3000, purchased: 0 } },
  ])(
    'a team whose last admin is deleted pays and gets no month more, unless another one is there (comes back: $comesBack)',
    async ({ comesBack, paper }) => {
      for (const order of isLong ? (['sent', 'reversed', 'shuffled'] as const) : (['reversed'] as const)) {
        tried({ histories: 1 })
        expect(await loseAdmin(product, order, comesBack)).toEqual(paper)
      }
    },
  )
})
