import { expect, it } from 'vitest'
import { paidCharge } from '../testing/sandbox.ts'

it('a dispute that is not answered in time is lost', async () => {
  const { stripe, harness } = await paidCharge('4000000000000259')
  await harness.knob('clock/advance', { seconds: 7 * 86_400 + 60 })
  expect((await stripe.disputes.list()).data).toMatchObject([
    { status: 'lost', evidence_details: { past_due: true } },
  ])
})
