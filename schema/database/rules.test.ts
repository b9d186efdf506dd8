import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import type { DB } from './types.ts'

const database = testDatabase()
const now = new Date()
const day = new Date('2026-03-01T00:00:00Z')
const nextDay = new Date('2026-03-02T00:00:00Z')

type Row = Readonly<Record<string, unknown>>

/** Inserts a row as the tables' owner, and says by which rule it was refused. */
async function refusedBy(table: keyof DB, row: Row): Promise<string | undefined> {
  try {
    await database.owner
      .insertInto(table)
      .values(row as never)
      .execute()
    return undefined
  } catch (error) {
    expect(error).toMatchObject({ code: '23514' })
    return (error as { readonly constraint: string }).constraint
  }
}

describe('a checkout intent', () => {
  const offer = async (plan_type: string | null, credits: number) => {
    const { id } = await database.owner
      .selectFrom('offers')
      .select('id')
      .where('plan_type', 'is not distinct from', plan_type)
      .limit(1)
      .executeTakeFirstOrThrow()
    return { offer_id: id, quantity: credits }
  }
  const purchase = async ({ plan_type = null, quantity = 500, ...fields }: Row) => {
    const user_id = await buildUser(database.server)
    return {
      id: randomUUID(),
      ...(await offer(plan_type as string | null, quantity as number)),
      user_id,
      owner_id: user_id,
      ...fields,
    }
  }
  const plan = { plan_type: 'teams', quantity: 5 }
  test.each<[string, Row]>([
    ['of credits', {}],
    ['of a plan', plan],
    ['of a plan for an organization that is not created yet', { ...plan, owner_id: null }],
    ['that is open', { state: 'open', stripe_session_id: 'cs_open' }],
    ['that is settled', { state: 'settled', stripe_session_id: 'cs_settled', settled_at: now }],
  ])('%s is kept', async (_, fields) => {
    expect(await refusedBy('checkout_intents', await purchase(fields))).toBeUndefined()
  })
  test.each<[string, string, Row]>([
    ['of credits without a receiver', 'checkout_intents_recipient', { owner_id: null }],
    [
      'of a person’s plan without a receiver',
      'checkout_intents_recipient',
      { plan_type: 'pro', quantity: 1, owner_id: null },
    ],
    ['settled at no time', 'checkout_intents_settled', { state: 'settled', stripe_session_id: 'cs_1' }],
    [
      'settled without a session or an invoice',
      'checkout_intents_source',
      { state: 'settled', settled_at: now },
    ],
    [
      'settled by a session and an invoice',
      'checkout_intents_source',
      { state: 'settled', settled_at: now, stripe_session_id: 'cs_1', stripe_invoice_id: 'in_1' },
    ],
    ['open without a session', 'checkout_intents_source', { state: 'open' }],
    ['with a time of settling that is not settled', 'checkout_intents_settled', { settled_at: now }],
  ])('%s is refused', async (_, rule, fields) => {
    expect(await refusedBy('checkout_intents', await purchase(fields))).toBe(rule)
  })
})

describe('an event of the inbox', () => {
  const received = {
    source: 'stripe',
    type: 'invoice.paid',
    occurred_at: now,
    state: 'applied',
    finished_at: now,
  }
  const event = (fields: Row): Row => ({ ...received, id: `evt_${randomUUID()}`, ...fields })

  test.each<[string, string, Row]>([
    ['ignored for no reason', 'inbox_events_reason', { state: 'ignored' }],
    ['failed for no reason', 'inbox_events_reason', { state: 'failed' }],
    ['received and finished', 'inbox_events_finished', { payload: '{}', state: 'received' }],
    ['neither received nor finished', 'inbox_events_finished', { finished_at: null }],
    ['received without what it says', 'inbox_events_payload', { state: 'received', finished_at: null }],
  ])('%s is refused', async (_, rule, fields) => {
    expect(await refusedBy('inbox_events', event(fields))).toBe(rule)
  })
})

describe('a grant', () => {
  const intent_id = randomUUID()
  const purchase = {
    id: `purchase/${intent_id}`,
    kind: 'purchase',
    account: 'purchased',
    intent_id,
    owner_id: 'user_rules',
  }
  const seconds = day.getTime() / 1000
  const month = {
    id: `month/in_1/${seconds}`,
    kind: 'month',
    account: 'plan',
    intent_id: null,
    month_starts_at: day,
    starts_at: day,
    ends_at: nextDay,
    stripe_subscription_id: 'sub_1',
    stripe_invoice_id: 'in_1',
  }
  const late = {
    ...month,
    id: 'late_month/in_1/1',
    kind: 'late_month',
    account: 'purchased',
    month_starts_at: null,
  }
  const adjustment = { ...purchase, id: 'adjustment/user_rules', kind: 'adjustment', intent_id: null }
  const grant = (fields: Row): Row => ({ ...purchase, ...fields })

  test.each<[string, Row]>([
    ['of a purchase', {}],
    ['of a month', month],
    [
      'of a month that is joined to a later one',
      { ...month, id: `month/in_3/${seconds}`, stripe_invoice_id: 'in_3', month_starts_at: nextDay },
    ],
    ['of seats', { ...month, id: `seats/in_1/${seconds}`, kind: 'seats' }],
    ['of a late month', late],
    ['of adjustments', adjustment],
    ['that has no time', { ...adjustment, id: 'adjustment/plan', account: 'plan' }],
  ])('%s is kept', async (_, fields) => {
    expect(await refusedBy('ledger_grants', grant(fields))).toBeUndefined()
  })
  test.each<[string, string, Row]>([
    ['of a purchase by another name', 'ledger_grants_id', { id: `purchase/${randomUUID()}` }],
    ['of a purchase without a checkout', 'ledger_grants_id', { intent_id: null }],
    ['of a purchase to the plan', 'ledger_grants_account', { account: 'plan' }],
    ['of a purchase with a subscription', 'ledger_grants_invoice', { stripe_subscription_id: 'sub_1' }],
    ['of a month by another name', 'ledger_grants_id', { ...month, id: 'month/in_1/1' }],
    ['of a month to what was bought', 'ledger_grants_account', { ...month, account: 'purchased' }],
    [
      'of a month without a subscription',
      'ledger_grants_invoice',
      { ...month, stripe_subscription_id: null },
    ],
    [
      'of seats in a month long over',
      'ledger_grants_id',
      { ...month, kind: 'seats', id: `seats/in_1/${seconds - 32 * 86_400}` },
    ],
    ['of a month without an invoice', 'ledger_grants_id', { ...month, stripe_invoice_id: null }],
    ['of a month that begins at no time', 'ledger_grants_id', { ...month, month_starts_at: null }],
    ['that ends before it starts', 'ledger_grants_period', { ...month, ends_at: new Date(0) }],
    ['of a late month by another name', 'ledger_grants_id', { ...late, id: 'late_month/in_2/1' }],
    ['of adjustments by another name', 'ledger_grants_id', { ...adjustment, id: 'manual/user_rules' }],
  ])('%s is refused', async (_, rule, fields) => {
    expect(await refusedBy('ledger_grants', grant(fields))).toBe(rule)
  })
})
