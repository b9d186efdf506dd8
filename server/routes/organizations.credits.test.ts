import { beforeAll, describe, expect, test } from 'vitest'
import { getOrganizationCredits } from '../../schema/api/organizations.ts'
import { buildMonthGrant, buildTransfer } from '../../tests/support/factories/grants.ts'
import { buildHold } from '../../tests/support/factories/holds.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildGrant, giveCredits, postTransfer, spendNow } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { madeForEachTest, madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, clock } = testProduct({ clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk))
const bob = madeOnce(() => signUp(clerk))
beforeAll(() => clock.stop(new Date('2026-05-20T12:00:00Z')))
/** A fresh organization each time: the ledger of the last one cannot be emptied. */
const org = madeForEachTest(async () => {
  const made = await buildOrganization(clerk, ada)
  await addMember(clerk, made, bob)
  return made
})

const grant = (account: 'plan' | 'purchased', amount: number) =>
  giveCredits(database, org.id, { [account]: amount })
const use = (credits: number, at: string) =>
  spendNow(database.server, org.id, credits, { occurred_at: new Date(at) })
const read = () => server.api(getOrganizationCredits, { token: bob.token, query: { org_id: org.id } })
/** A subscription whose billing month runs from the tenth to the tenth. */
async function subscribeFromTheTenth(): Promise<void> {
  const { id } = await buildSubscription(database, {
    owner_id: org.id,
    user_id: await buildUser(database.owner, ada.user_id),
  })
  for (const [begins, ends] of [
    ['2026-04-10', '2026-05-10'],
    ['2026-05-10', '2026-06-10'],
  ] as const) {
    const occurred_at = new Date(begins)
    const month = buildMonthGrant(org.id, occurred_at)
    const grant = { ...month, stripe_subscription_id: id, ends_at: new Date(ends) }
    await postTransfer(
      database.worker,
      buildTransfer(grant, { kind: 'plan_grant', ordinal: 1, amount: 250 }, { occurred_at }),
    )
  }
}

describe('an organization’s pool', () => {
  test('an organization’s pool counts usage since the billing month began, and always adds up', async () => {
    await subscribeFromTheTenth()
    await grant('purchased', 300)
    await use(40, '2026-05-09T23:59:59Z')
    await use(60, '2026-05-10T00:00:00Z')
    await use(450, '2026-05-19T00:00:00Z')
    expect((await read()).body).toEqual({
      total_credits: 760,
      used_credits: 510,
      held_credits: 0,
      remaining_credits: 250,
      plan_credits: 0,
      purchased_credits: 250,
      since: '2026-05-10T00:00:00.000Z',
    })
  })

  test('an organization’s pool without a plan is counted by calendar month', async () => {
    await grant('purchased', 100)
    await use(10, '2026-04-30T23:59:59Z')
    await use(20, '2026-05-01T00:00:00Z')
    expect((await read()).body).toMatchObject({ total_credits: 90, used_credits: 20, remaining_credits: 70 })
  })

  test('what is reserved of an organization’s pool is neither used nor remaining', async () => {
    await grant('purchased', 100)
    await use(20, '2026-05-02T00:00:00Z')
    await buildHold(database.server, org.id, { actor: ada.user_id, credits: 30 })
    const pool = { total_credits: 100, used_credits: 20, held_credits: 30, remaining_credits: 50 }
    expect((await read()).body).toMatchObject(pool)
  })

  test('an organization’s pool may be in debt', async () => {
    await grant('purchased', 100)
    await use(80, '2026-05-02T00:00:00Z')
    await postTransfer(database.worker, buildGrant(org.id, -100, { kind: 'refund', house: 'refunded' }))
    expect((await read()).body).toMatchObject({ total_credits: 0, used_credits: 80, remaining_credits: -80 })
  })
})
