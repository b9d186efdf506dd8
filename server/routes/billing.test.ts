import type Stripe from 'stripe'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BillingDocument, listBillingDocuments } from '../../schema/api/billing.ts'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { createOrganizationSubscription, topUpOrganizationCredits } from '../../schema/api/organizations.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { buildOrganization } from '../../tests/support/factories/organizations.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { stripe, clerk, server, advanceDays } = testProduct({
  stripe: 'with_prices',
  clerk: 'sandbox',
})
beforeEach(() => stripe.clear('faults'))

const list = async (by: Person, query: Record<string, string> = {}) =>
  (await server.ask(listBillingDocuments, { token: by.token, query })).data

/** Opens a checkout of credits, and pays it with a card unless another way is named. */
async function buy(by: Person, credits: number, pay: object = {}): Promise<string> {
  const amount = creditsCostMinor(credits) / 100
  const body = { clerkUserId: by.user_id, credits, amount, currency: 'EUR' as const }
  const { sessionId } = await server.ask(purchaseCredits, { token: by.token, body })
  await stripe.knob(`sessions/${sessionId}/pay`, pay)
  return sessionId
}

const chargeOf = async (sessionId: string) => {
  const session = await stripe.client.checkout.sessions.retrieve(sessionId)
  return String((await stripe.client.paymentIntents.retrieve(String(session.payment_intent))).latest_charge)
}

describe('invoices and receipts', () => {
  test('a user who never bought anything has no invoices, and Stripe is not asked', async () => {
    await stripe.knob('faults', { status: 500, path_prefix: '/v1' })
    expect(await list(await signUp(clerk))).toEqual({ items: [], next_cursor: null })
  })

  test('credits have an invoice, with what became of the payment', async () => {
    const buyer = await signUp(clerk)
    const paid = await buy(buyer, 500)
    const refunded = await buy(buyer, 1000)
    const waits = await buy(buyer, 1500, { method: 'delayed' })
    await stripe.client.refunds.create({ charge: await chargeOf(refunded), amount: 700 })
    const { items, next_cursor } = await list(buyer)
    expect(next_cursor).toBeNull()
    expect(new Map(items.map((item) => [item.id, item]))).toEqual(
      new Map([
        [waits, expect.objectContaining({ kind: 'receipt', status: 'processing', amount_minor: 2100 })],
        [refunded, expect.objectContaining({ status: 'partially_refunded', amount_minor: 1400 })],
        [
          paid,
          {
            id: paid,
            kind: 'invoice',
            number: expect.stringMatching(/-0001$/),
            description: '500 credits',
            credits: 500,
            plan: null,
            status: 'paid',
            amount_minor: 700,
            currency: 'EUR',
            created_at: expect.any(String),
            hosted_url: expect.stringContaining('/i/in_'),
            pdf_url: expect.stringContaining('/pdf'),
          },
        ],
      ]),
    )
  })

  test('an unpaid checkout is not listed', async () => {
    const buyer = await signUp(clerk)
    const body = { clerkUserId: buyer.user_id, credits: 500, amount: 7, currency: 'EUR' as const }
    await server.ask(purchaseCredits, { token: buyer.token, body })
    expect((await list(buyer)).items).toEqual([])
  })

  describe('a plan and credits, over months', () => {
    let all: readonly BillingDocument[] = []
    const subscriber = madeOnce(async () => {
      const person = await signUp(clerk)
      const body = { clerkUserId: person.user_id, planType: 'pro' as const }
      const { sessionId } = await server.ask(createCheckoutSession, { token: person.token, body })
      await stripe.knob(`sessions/${sessionId}/pay`)
      for (let month = 0; month < 3; month++) {
        await advanceDays(31)
        await buy(person, 500 + month)
      }
      return person
    })
    beforeAll(async () => {
      all = (await list(subscriber, { limit: '50' })).items
    })

    test('invoices of a plan and of credits are in one list, newest first', () => {
      expect(all.filter(({ id }) => id.startsWith('cs_')).map(({ description }) => description)).toEqual([
        '502 credits',
        '501 credits',
        '500 credits',
      ])
      const invoices = all.filter(({ id }) => id.startsWith('in_'))
      expect(invoices.length).toBeGreaterThanOrEqual(3)
      expect(invoices.every(({ amount_minor }) => amount_minor % 2000 === 0)).toBe(true)
      expect(invoices[0]).toMatchObject({
        status: 'paid',
        amount_minor: 2000,
        number: expect.any(String),
        hosted_url: expect.stringContaining('/i/in_'),
        pdf_url: expect.stringContaining('/pdf'),
      })
      const times = all.map(({ created_at }) => created_at)
      expect(times).toEqual(times.toSorted().toReversed())
      expect(invoices.map(({ description }) => description.replace(/[\d-]{10}$/, 'day'))).toEqual([
        ...invoices.slice(1).map(() => 'Pro until day'),
        'Free trial of Pro until day',
      ])
    })

    test.each([1, 2, 3])('invoices come in pages of %i that neither repeat nor omit one', async (limit) => {
      const seen: string[] = []
      let cursor: string | null = null
      for (let pages = 0; pages === 0 || cursor !== null; pages++) {
        expect(pages).toBeLessThan(20)
        const page = await list(subscriber, { limit: String(limit), ...(cursor && { cursor }) })
        expect(page.items.length).toBeLessThanOrEqual(limit)
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.next_cursor
      }
      expect(seen).toEqual(all.map(({ id }) => id))
    })
  })

  test('invoices and receipts of an organization are read by its admins, and are not among their own', async () => {
    const admin = await signUp(clerk)
    const organization = await buildOrganization(clerk, admin)
    const body = { org_id: organization.id, credits_amount: 500 }
    const { sessionId } = await server.ask(topUpOrganizationCredits, { token: admin.token, body })
    await stripe.knob(`sessions/${sessionId}/pay`)
    const query = { payer: organization.id }
    const read = await server.ask(listBillingDocuments, { token: admin.token, query })
    expect(read.data.items).toMatchObject([{ id: sessionId }])
    expect((await list(admin)).items).toEqual([])
  })

  test('an invoice of a plan is titled by what was bought, whatever Stripe writes on its lines', async () => {
    const admin = await signUp(clerk)
    const organization = await buildOrganization(clerk, admin)
    const body = { clerk_org_id: organization.id, seats_total: 3 }
    const { sessionId } = await server.ask(createOrganizationSubscription, { token: admin.token, body })
    await stripe.knob(`sessions/${sessionId}/pay`)
    const { subscription } = await stripe.client.checkout.sessions.retrieve(sessionId)
    const id = String(subscription)
    const { items, customer } = await stripe.client.subscriptions.retrieve(id)
    const [item] = items.data
    const order = (quantity: number, more: Stripe.SubscriptionUpdateParams = {}) =>
      stripe.client.subscriptions.update(id, {
        items: [{ id: item?.id ?? '', quantity }],
        proration_behavior: 'always_invoice',
        ...more,
      })
    const latest = async () => {
      const [invoice] = (await list(admin, { payer: organization.id })).items
      return { title: invoice?.description, plan: invoice?.plan }
    }
    const ends_at = new Date((item?.current_period_end ?? 0) * 1000).toISOString()
    const until = `until ${ends_at.slice(0, 10)}`
    const plan = { plan_type: 'teams', ends_at }

    expect(await latest()).toEqual({
      title: `Teams, 3 seats, ${until}`,
      plan: { ...plan, kind: 'period', seats: 3 },
    })
    await order(4)
    expect(await latest()).toEqual({
      title: `1 more seat ${until}`,
      plan: { ...plan, kind: 'seats', seats: 1 },
    })
    await order(9)
    expect((await latest()).title).toBe(`5 more seats ${until}`)
    await order(7)
    expect((await latest()).title).toBe(`2 fewer seats ${until}`)
    // Two changes of one moment that one invoice charges.
    await order(8, { proration_behavior: 'create_prorations' })
    await order(10)
    expect((await latest()).title).toBe(`3 more seats ${until}`)

    await stripe.client.invoiceItems.create({
      customer: String(customer),
      amount: 5000,
      currency: 'eur',
      description: 'A day of training',
    })
    const byHand = await stripe.client.invoices.create({
      customer: String(customer),
      pending_invoice_items_behavior: 'include',
    })
    await stripe.client.invoices.finalizeInvoice(byHand.id ?? '')
    expect(await latest()).toEqual({ title: 'A day of training', plan: null })
  })
})
