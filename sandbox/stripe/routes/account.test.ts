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
