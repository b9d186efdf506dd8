import { expect, it } from 'vitest'
import { paidCharge } from '../testing/sandbox.ts'

it('a dispute that is not answered in time is lost', async () => {
  const { stripe, harness } = await paidCharge('4000000000000259')
  await harness.knob('clock/advance', { seconds: 7 * 86_400 + 60 })
  expect((await stripe.disputes.list()).data).toMatchObject([
    { status: 'lost', evidence_details: { past_due: true } },
  ])
})

it('an inquiry takes no money, and becomes a dispute or is closed', async () => {
  const { stripe, charge, harness } = await paidCharge()
  const types = async (step: () => Promise<unknown>) => {
    const before = (await harness.eventTypes()).length
    await step()
    return (await harness.eventTypes()).slice(before)
  }
  expect(
    await types(() => harness.knob(`charges/${charge.id}/dispute`, { status: 'warning_needs_response' })),
  ).toEqual(['charge.dispute.created', 'charge.updated'])
  const [dispute] = (await stripe.disputes.list()).data
  expect(dispute).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true })
  const move = (status: string) => () => harness.knob(`disputes/${dispute?.id}/status`, { status })
  const evidence = { uncategorized_text: 'It was used.' }
  expect(await types(() => stripe.disputes.update(dispute?.id ?? '', { evidence, submit: true }))).toEqual([
    'charge.dispute.updated',
  ])
  expect(await stripe.disputes.retrieve(dispute?.id ?? '')).toMatchObject({ status: 'warning_under_review' })
  expect(await types(move('warning_closed'))).toEqual(['charge.dispute.closed'])
  expect(await types(move('needs_response'))).toEqual([
    'charge.dispute.updated',
    'charge.dispute.funds_withdrawn',
  ])
  expect(await stripe.disputes.retrieve(dispute?.id ?? '')).toMatchObject({ is_charge_refundable: false })
})

it('a lost dispute that is appealed leaves the money away until the appeal is won', async () => {
  const { stripe, charge, harness } = await paidCharge()
  await harness.knob(`charges/${charge.id}/dispute`)
  const [dispute] = (await stripe.disputes.list()).data
  expect(
    (await harness.knob(`disputes/${dispute?.id}/status`, { status: 'appeal_needs_response' })).status,
  ).toBe(400)
  await harness.knob(`disputes/${dispute?.id}/close`, { outcome: 'lost' })
  const before = (await harness.eventTypes()).length
  for (const status of ['appeal_needs_response', 'appeal_under_review', 'won']) {
    await harness.knob(`disputes/${dispute?.id}/status`, { status })
    expect(await stripe.disputes.retrieve(dispute?.id ?? '')).toMatchObject({ status })
  }
  expect((await harness.eventTypes()).slice(before)).toEqual([
    'charge.dispute.updated',
    'charge.dispute.updated',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
  ])
})
