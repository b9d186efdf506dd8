import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { refuseOtherAccount } from '../schema/vendors/stripe/account.ts'
import { createStripe } from '../schema/vendors/stripe/client.ts'
import { neededPermissions } from '../schema/vendors/stripe/permissions.ts'
import { connectForTest } from '../tests/support/database/connect-for-test.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe } = product
afterEach(async () => {
  await stripe.clear('faults')
  await stripe.knob('reset')
  await database.owner.deleteFrom('stripe_accounts').execute()
})

const accountOf = async () =>
  (await database.owner.selectFrom('stripe_accounts').select('account_id').execute()).map(
    ({ account_id }) => account_id,
  )

/** A start of a process; returns what it warns of. */
async function start({
  secretKey = 'sk_test_sandbox',
  apiBase = stripe.url,
  db = database.server,
} = {}): Promise<string[]> {
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) })
  await refuseOtherAccount({ db, stripe: createStripe({ secretKey, apiBase }), log })
  return warnings
}

test('the database keeps the account of the first start, and a key of it starts again', async () => {
  expect(await start()).toEqual([])
  expect(await accountOf()).toEqual(['acct_sandbox'])
  expect(await start()).toEqual([])
})

test('processes that start at the same moment agree on the account', async () => {
  await Promise.all([start(), start(), start()])
  expect(await accountOf()).toEqual(['acct_sandbox'])
})

test('live mode has an account of its own', async () => {
  await start()
  const live = connectForTest(database.url, { livemode: true })
  await database.owner
    .insertInto('stripe_accounts')
    .values({ livemode: true, account_id: 'acct_live' })
    .execute()
  await expect(start({ db: live.db })).rejects.toThrow('this database belongs to acct_live')
  expect(await start()).toEqual([])
})

test('a restricted key that may not read the account starts, and it is said', async () => {
  await stripe.knob('keys', { key: 'rk_test_account', permissions: neededPermissions })
  expect(await start({ secretKey: 'rk_test_account' })).toEqual([
    'It is not known whether the key of Stripe is of the account to which this database belongs',
  ])
  expect(await accountOf()).toEqual([])
})

test('while Stripe is away a process starts all the same, and without waiting for retries', async () => {
  const [warning] = await start({ apiBase: 'http://127.0.0.1:1' })
  expect(warning).toContain('It is not known')
  await stripe.knob('faults', { status: 503, path_prefix: '/v1/account', count: 1 })
  expect(await start()).toHaveLength(1)
})
