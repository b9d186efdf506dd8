import { expect, test } from 'vitest'
import { getAccountSummary } from '../../../schema/api/account.ts'
import { findIntent } from '../../../schema/billing/checkout/intents.ts'
import { listFindings } from '../../../schema/billing/reconciliation/findings.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import { buildAct } from '../../../tests/support/factories/acts.ts'
import { buyPlan } from '../../../tests/support/factories/paid-purchases.ts'
import { buildAccount } from '../../../tests/support/factories/users.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { reconcileAll } from '../../reconciliation/run.ts'
import { processSupportAct } from '../../support/support-act.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, clerk, server, worker } = product

test('a team that is paid and that Clerk’s plan refuses is told to its buyer and to support at once, and is made by a replay', async () => {
  const person = await buildAccount(product)
  const { user_id } = person
  await clerk.knob('instance', { plan_cap: 2 })
  const bought = await buyPlan(product, { plan_type: 'teams', seats: 3, owner_id: null, user_id })
  const event = await database.owner
    .selectFrom('inbox_events')
    .select(['id', 'state', 'reason', 'attempts'])
    .where('type', '=', 'checkout.session.completed')
    .executeTakeFirstOrThrow()
  expect(event).toMatchObject({ state: 'failed', reason: expect.stringContaining('clerk_refuses') })
  const summary = await server.ask(getAccountSummary, { token: person.token, query: { payer: 'personal' } })
  expect(summary.payments).toMatchObject([{ id: bought.intent_id, state: 'under_review' }])
  const told = await database.owner.selectFrom('mails').select(['kind', 'user_id', 'occasion']).execute()
  expect(told).toEqual([{ kind: 'no_team', user_id, occasion: bought.intent_id }])
  await product.advanceDays(0.1)
  await reconcileAll(worker.deps, 'test')
  expect(
    JSON.stringify(await listFindings(database.server, { filter: { state: 'open' }, limit: 10 })),
  ).toContain(bought.session_id)

  await clerk.knob('instance', { plan_cap: null })
  const act = await buildAct(database, { kind: 'replay', target: { kind: 'event', id: event.id } })
  await processSupportAct(worker.deps, { act_id: act.id })
  const intent = await findIntent(database.owner, bought.intent_id)
  expect(intent).toMatchObject({ state: 'settled' })
  expect(await findBalance(database.owner, intent?.owner_id ?? '')).toMatchObject({ plan: 1500 })
})
