import { expect, it } from 'vitest'
import { paidCharge } from '../testing/sandbox.ts'

it('the card that is disputed is disputed as soon as it has paid', async () => {
  const { stripe, charge, harness } = await paidCharge('4000000000000259')
  const [dispute] = (await stripe.disputes.list({ charge: charge.id })).data
  expect(charge).toMatchObject({ status: 'succeeded', disputed: true })
  expect(dispute).toMatchObject({ amount: 700, reason: 'fraudulent', status: 'needs_response' })
  expect((await harness.eventTypes()).slice(-4)).toEqual([
    'checkout.session.completed',
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.updated',
  ])
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
    code: 'charge_disputed',
  })
})

it('a dispute that is won gives the money back and lets the charge be refunded', async () => {
  const { stripe, charge, harness } = await paidCharge()
  await harness.knob(`charges/${charge.id}/dispute`, { reason: 'general' })
  const [dispute] = (await stripe.disputes.list()).data

  const closed = await stripe.disputes.update(dispute?.id ?? '', {
    evidence: { uncategorized_text: 'winning_evidence' },
  })

  expect(closed).toMatchObject({ status: 'won', is_charge_refundable: true })
  expect((await harness.eventTypes()).slice(-3)).toEqual([
    'charge.dispute.updated',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
  ])
  expect(await stripe.refunds.create({ charge: charge.id })).toMatchObject({ amount: 700 })
})

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

it('a dispute that was prevented takes no money', async () => {
  const { stripe, charge, harness } = await paidCharge()
  await harness.knob(`charges/${charge.id}/dispute`, { status: 'prevented' })
  expect((await stripe.disputes.list()).data).toMatchObject([{ status: 'prevented' }])
  expect((await stripe.disputes.list()).data[0]?.balance_transactions).toEqual([])
  expect(await harness.eventTypes()).not.toContain('charge.dispute.funds_withdrawn')
  expect((await harness.knob('disputes/dp_none/status', { status: 'won' })).status).toBe(404)
})

it('the balance transactions of a dispute say where its money is', async () => {
  const { stripe, charge, harness } = await paidCharge()
  const amounts = async () =>
    (await stripe.disputes.list()).data[0]?.balance_transactions.map(({ amount }) => amount)
  await harness.knob(`charges/${charge.id}/dispute`, { amount: 300 })
  const [dispute] = (await stripe.disputes.list()).data
  expect(await amounts()).toEqual([-300])
  await harness.knob(`disputes/${dispute?.id}/close`, { outcome: 'won' })
  expect(await amounts()).toEqual([-300, 300])

  const other = await paidCharge()
  await other.harness.knob(`charges/${other.charge.id}/dispute`, { status: 'prevented', takes_money: true })
  expect((await other.stripe.disputes.list()).data).toMatchObject([
    { status: 'prevented', balance_transactions: [{ amount: -700 }] },
  ])
  expect(await other.harness.eventTypes()).toContain('charge.dispute.funds_withdrawn')
})
