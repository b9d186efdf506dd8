import { expect, it } from 'vitest'
import { newCheckout, startHarness } from '../testing/sandbox.ts'

async function paidCharge(card = '4242424242424242') {
  const harness = await startHarness()
  const { id } = await newCheckout(harness)
  await harness.pay(id, { card })
  const [charge] = (await harness.stripe.charges.list()).data
  if (!charge) throw new Error('The checkout left no charge.')
  return { harness, stripe: harness.stripe, charge }
}

it('partial refunds add up to the charge and not beyond it', async () => {
  const { stripe, charge, harness } = await paidCharge()
  await stripe.refunds.create({ charge: charge.id, amount: 200, metadata: { ticket: '1' } })
  await expect(stripe.refunds.create({ charge: charge.id, amount: 501 })).rejects.toMatchObject({
    param: 'amount',
  })
  const second = await stripe.refunds.create({ payment_intent: String(charge.payment_intent) })

  expect(second).toMatchObject({ amount: 500, status: 'succeeded', charge: charge.id })
  const refunded = await stripe.charges.retrieve(charge.id)
  expect(refunded).toMatchObject({ amount_refunded: 700, refunded: true })
  expect(refunded.refunds?.data.map(({ amount }) => amount)).toEqual([500, 200])
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({
    code: 'charge_already_refunded',
  })
  const events = await stripe.events.list({ type: 'charge.refunded' })
  expect(events.data.map(({ data }) => data.previous_attributes)).toEqual([
    { amount_refunded: 200, refunded: false },
    { amount_refunded: 0 },
  ])
  expect((await harness.eventTypes()).slice(-4)).toEqual([
    'refund.created',
    'charge.refunded',
    'refund.created',
    'charge.refunded',
  ])
})

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

it('a dispute that is lost stays lost', async () => {
  const { stripe, charge, harness } = await paidCharge()
  const { body } = await harness.knob(`charges/${charge.id}/dispute`, { amount: 300 })
  const [dispute] = (await stripe.disputes.list()).data
  expect(body).toMatchObject({ dispute: { id: dispute?.id, amount: 300 } })

  await harness.knob(`disputes/${dispute?.id}/close`, { outcome: 'lost' })

  expect(await stripe.disputes.retrieve(dispute?.id ?? '')).toMatchObject({ status: 'lost' })
  expect(await harness.eventTypes()).not.toContain('charge.dispute.funds_reinstated')
  await expect(stripe.disputes.close(dispute?.id ?? '')).rejects.toThrow('already closed')
})

it('a dispute that nobody answers in time is lost', async () => {
  const { stripe, harness } = await paidCharge('4000000000000259')
  await harness.knob('clock/advance', { seconds: 7 * 86_400 + 60 })
  expect((await stripe.disputes.list()).data).toMatchObject([
    { status: 'lost', evidence_details: { past_due: true } },
  ])
})
