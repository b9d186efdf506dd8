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
