import Stripe from 'stripe'
import { expect, it } from 'vitest'
import { startHarness } from '../testing/sandbox.ts'

it('the account keeps its id over a reset, and another account has another one', async () => {
  const { stripe, knob } = await startHarness()
  const { id } = await stripe.accounts.retrieveCurrent()
  expect(id).toMatch(/^acct_/)
  await knob('reset')
  expect(await stripe.accounts.retrieveCurrent()).toMatchObject({ id, object: 'account' })
  await knob('account', { id: 'acct_other' })
  expect(await stripe.accounts.retrieveCurrent()).toMatchObject({ id: 'acct_other' })
})

it('a restricted key without the permission is refused in words that name account and permission', async () => {
  const harness = await startHarness()
  await harness.knob('keys', { key: 'rk_test_one', permissions: { customers: 'write' } })
  const restricted = new Stripe('rk_test_one', { host: 'localhost', port: harness.port, protocol: 'http' })
  await expect(restricted.accounts.retrieveCurrent()).rejects.toMatchObject({
    type: 'StripePermissionError',
    message: expect.stringMatching(/on account 'acct_sandbox'.*'rak_accounts_kyc_id_numbers_read'/),
  })
})
