import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildPlanOrder } from '../../../tests/support/factories/purchases.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { catalogueOffers } from '../../catalogue/offers.ts'
import { findIntent } from './intents.ts'
import { findOffer, listOffers, writeCatalogue } from './offers.ts'

const database = testDatabase()
const pro = { plan_type: 'pro', billing_frequency: 'monthly', currency: 'EUR' } as const
const credits = { plan_type: null, billing_frequency: null, currency: 'EUR' } as const

/** Inserts an order by the server's login with these columns beside those that it has to give. */
async function order(columns: Readonly<Record<string, string | number>>) {
  const user_id = await buildUser(database.server)
  const row = { id: randomUUID(), user_id, owner_id: user_id, ...columns }
  await database.server
    .insertInto('checkout_intents')
    .values(row as never)
    .execute()
  return findIntent(database.owner, row.id)
}

test.each<[string, Readonly<Record<string, string | number>>]>([
  ['a million credits for 0.50', { credits: 1_000_000, amount_minor: 50 }],
  ['a plan with more credits a seat', { credits_per_seat: 1_000_000 }],
  ['another plan', { plan_type: 'teams' }],
  ['a subscription', { kind: 'subscription' }],
])('the server’s login cannot order %s', async (_what, invented) => {
  const offer = await findOffer(database.server, credits, '')
  await expect(order({ offer_id: offer.id, quantity: 500, ...invented })).rejects.toMatchObject({
    code: '42501',
  })
})

test('the server’s login gets the terms of the offer, and no longer trial than the offer has', async () => {
  const { id: offer_id } = await findOffer(database.server, pro, '')
  expect(await order({ offer_id, quantity: 1, trial_days: 365 })).toMatchObject({
    kind: 'subscription',
    currency: 'EUR',
    credits: 500,
    credits_per_seat: 500,
    amount_minor: 2000,
    seats: 1,
    trial_days: 14,
  })
  const bought = await findOffer(database.server, credits, '')
  expect(await order({ offer_id: bought.id, quantity: 71, trial_days: 365 })).toMatchObject({
    kind: 'credit_purchase',
    credits: 71,
    amount_minor: 99,
    seats: null,
    trial_days: 0,
  })
})

test.each([
  ['two seats of a plan for one person', pro, 2],
  ['no seat', { ...pro, plan_type: 'teams' }, 0],
  ['101 seats', { ...pro, plan_type: 'teams' }, 101],
  ['70 credits', credits, 70],
  ['71,429 credits', credits, 71_429],
] as const)('%s cannot be ordered', async (_what, sold, quantity) => {
  const { id: offer_id } = await findOffer(database.server, sold, '')
  await expect(order({ offer_id, quantity })).rejects.toThrow(/is not sold/)
})

test('an offer that does not exist cannot be ordered', async () => {
  await expect(order({ offer_id: 0, quantity: 1 })).rejects.toMatchObject({ code: '23502' })
})

test.each([
  `INSERT INTO plans VALUES ('gift')`,
  `INSERT INTO offers (currency, units, credits, price_minor, trial_days, minimum_quantity, maximum_quantity)
   VALUES ('EUR', 1, 1000000, 1, 0, 1, 1)`,
  `UPDATE offers SET trial_days = 365`,
  `DELETE FROM offers`,
])('neither the server nor the worker can say %s', async (statement) => {
  for (const role of ['tidemark_server', 'tidemark_worker']) {
    const client = new pg.Client({ connectionString: database.url, options: `-c role=${role}` })
    await client.connect()
    try {
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' })
    } finally {
      await client.end()
    }
  }
})

test('a trial is for buyers who have never bought a plan', async () => {
  const user_id = await buildUser(database.server)
  const first = await buildPlanOrder(database, { user_id, trial_days: 14 })
  expect(first.trial_days).toBe(14)
  await database.owner
    .updateTable('checkout_intents')
    .set({ state: 'settled', settled_at: new Date(), stripe_session_id: `cs_${first.id}` })
    .where('id', '=', first.id)
    .execute()
  expect((await findOffer(database.server, pro, user_id)).trial_days).toBe(0)
  expect((await buildPlanOrder(database, { user_id, trial_days: 14 })).trial_days).toBe(0)
})

test('the catalogue is written once, and a changed one adds an offer while the old one keeps its orders', async () => {
  await using client = Object.assign(new pg.Client({ connectionString: database.url }), {
    [Symbol.asyncDispose]: () => client.end(),
  })
  await client.connect()
  const all = () => database.owner.selectFrom('offers').selectAll().orderBy('id').execute()
  const before = await all()
  expect(before).toHaveLength(catalogueOffers.length)
  await writeCatalogue(client)
  expect(await all()).toEqual(before)

  const user_id = await buildUser(database.server)
  const old = await buildPlanOrder(database, { user_id })
  // As a release would leave it that sold Pro for more, before this catalogue came.
  await client.query(
    `INSERT INTO offers (plan_type, billing_frequency, currency, units, credits, price_minor, trial_days, minimum_quantity, maximum_quantity)
     SELECT plan_type, billing_frequency, currency, units, credits, 2500, trial_days, minimum_quantity, maximum_quantity
     FROM offers WHERE id = $1`,
    [old.offer_id],
  )
  await expect(order({ offer_id: old.offer_id, quantity: 1 })).rejects.toThrow(/not sold any more/)
  await writeCatalogue(client)
  expect((await listOffers(database.owner, pro)).map(({ price_minor }) => price_minor)).toEqual([
    2000, 2500, 2000,
  ])
  expect(await findIntent(database.owner, old.id)).toMatchObject({ amount_minor: 2000 })
})
