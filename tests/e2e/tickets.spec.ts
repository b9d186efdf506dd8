import { randomUUID } from 'node:crypto'
import type { Locator } from '@playwright/test'
import {
  act,
  caseSummary,
  dialog,
  isGreen,
  openConsole,
  sam,
  type Ticket,
  takeTicket,
} from './support/console.ts'
import {
  type Customer,
  chargeOf,
  newCustomer,
  orderPlan,
  organizationOf,
  subscribe,
  untilRow,
  untilSettled,
} from './support/customers.ts'
import {
  changeSeatsLater,
  clearFaults,
  freezeWorker,
  hideEventsFromList,
  openSandboxStripe,
  turnClerkKnob,
  turnStripeKnob,
  wakeWorker,
} from './support/product.ts'
import { alone, test as anyTest, expect, long, longAndAlone } from './support/test.ts'

/**
 * What customers complain about, as support meets it: the cause is on the screen within two clicks, and what
 * can be mended in the console is mended within six. Clicks and seconds are written to reports/tickets.tsv.
 */
const test = anyTest.extend<{ ada: Customer; take: (about: string) => Promise<Ticket> }>({
  ada: async ({ request, baseURL }, use) => use(await newCustomer(request, baseURL)),
  take: async ({ browser, baseURL }, use) => use((about) => takeTicket({ browser, baseURL }, about)),
})

/** A part of the open case says this; the case is read again where it does not. */
async function shows({ page }: Ticket, part: Locator, text: string | RegExp): Promise<void> {
  await expect(async () => {
    try {
      await expect(part).toContainText(text, { timeout: 10_000 })
    } catch (error) {
      await page.reload()
      throw error
    }
  }).toPass({ timeout: 100_000 })
}

const says = (ticket: Ticket, text: string | RegExp) => shows(ticket, caseSummary(ticket.page), text)

/** The credits are all there, and the case says this no more. */
async function saysNoMore({ page }: Ticket, text: string): Promise<void> {
  await expect(async () => {
    await page.reload()
    await expect(caseSummary(page)).toContainText(present)
    await expect(caseSummary(page)).not.toContainText(text)
  }).toPass({ timeout: 100_000 })
}

const present = 'All expected credits are present'
const fact = (ticket: Ticket) => ticket.page.getByRole('region', { name: 'Customer' })
const timeline = (ticket: Ticket) => ticket.page.getByRole('region', { name: 'Timeline' })

async function receivedAbout(type: string, customer: Customer): Promise<void> {
  await untilRow((db) =>
    db
      .selectFrom('inbox_events as event')
      .innerJoin('stripe_customers as known', (join) => join.on('known.owner_id', '=', customer.userId))
      .select('event.id')
      .where('event.type', '=', type)
      .whereRef('event.subject', '=', 'known.customer_id')
      .where('event.state', '=', 'applied')
      .executeTakeFirst(),
  )
}

test('a payment whose webhook is lost is found and resynced', alone, async ({ ada, take }) => {
  const session = await ada.order(500)
  await turnStripeKnob('deliveries', { mode: 'never' })
  await ada.pay(session)
  await hideEventsFromList()
  const ticket = await take(ada.email)
  await says(ticket, '1 open payment page may be paid by now')
  expect(await isGreen(ticket.page)).toBe(false)
  await ticket.understood()
  await act(ticket.page, 'Resync', '+500 credits')
  await says(ticket, present)
  await shows(ticket, fact(ticket), '500 credits')
  await ticket.mended()
})

test(
  'a payment that waits for a worker that stands still is amber, and present once the worker goes on',
  longAndAlone,
  async ({ ada, take }) => {
    const session = await ada.order(500)
    freezeWorker()
    await ada.pay(session)
    const ticket = await take(ada.email)
    await says(ticket, /received and not applied/)
    expect(await isGreen(ticket.page)).toBe(false)
    await ticket.understood()
    wakeWorker()
    await untilSettled(session)
    await says(ticket, present)
    await shows(ticket, fact(ticket), '500 credits')
    await ticket.mended()
  },
)

test(
  'a plan that is paid while Stripe does not answer is amber, its preview says so, and a resync brings it',
  longAndAlone,
  async ({ ada, take }) => {
    const session = await orderPlan(ada, 'pro')
    await turnStripeKnob('faults', { status: 500, for_ms: 600_000, path_prefix: '/v1' })
    await ada.pay(session)
    const ticket = await take(ada.email)
    await says(ticket, /received and not applied/)
    expect(await isGreen(ticket.page)).toBe(false)
    await ticket.understood()
    await ticket.page.getByRole('button', { name: 'Resync', exact: true }).click()
    await expect(dialog(ticket.page)).toContainText('Stripe does not answer', { timeout: 40_000 })
    await ticket.page.keyboard.press('Escape')
    await clearFaults()
    await act(ticket.page, 'Resync', 'Pro')
    await says(ticket, 'PlanProPro')
    await ticket.mended()
  },
)

test('a customer who paid twice is told so at the top of the case, with both payments', async ({
  ada,
  take,
}) => {
  await ada.buy(500)
  const second = await ada.buy(500)
  const ticket = await take(ada.email)
  await says(ticket, /Paid twice within .*: 500 credits for €7\.00/)
  await ticket.understood()
  await openSandboxStripe().refunds.create({ charge: await chargeOf(second) })
  await says(ticket, present)
  await shows(ticket, fact(ticket), 'Balance500 credits')
  await ticket.mended()
})

test(
  'a customer who asks where the credits of last month are is shown that they expired',
  longAndAlone,
  async ({ ada, take }) => {
    await subscribe(ada, 'pro')
    // The trial ends, and the first month after it.
    await turnStripeKnob('clock/advance', { days: 50 })
    await receivedAbout('invoice.paid', ada)
    const ticket = await take(ada.email)
    await ticket.page.getByText('What the customer sees').click()
    const balance = ticket.page.getByRole('region', { name: 'Balance' })
    await shows(ticket, balance, 'Unused plan credits expired')
    await ticket.understood()
  },
)

test('a purchase whose refund was asked for is found with its invoice, and the refund takes its credits', async ({
  ada,
  take,
}) => {
  const session = await ada.buy(500)
  const ticket = await take(ada.email)
  await says(ticket, present)
  await ticket.page.getByText('What the customer sees').click()
  const documents = ticket.page.getByRole('region', { name: 'Invoices and receipts' })
  await expect(documents.getByRole('link', { name: /^Invoice|^Receipt/ })).toBeVisible()
  await ticket.understood()
  await openSandboxStripe().refunds.create({ charge: await chargeOf(session) })
  await shows(ticket, fact(ticket), 'Balance0 credits')
  await shows(ticket, documents, 'Refunded')
  await ticket.mended()
})

test('a dispute that was lost is told from one that is open, with its day', long, async ({ ada, take }) => {
  const session = await ada.buy(500)
  const charge = await chargeOf(session)
  await turnStripeKnob(`charges/${charge}/dispute`, {})
  const ticket = await take(ada.email)
  await says(ticket, /dispute/i)
  await expect(caseSummary(ticket.page)).not.toContainText(/lost/)
  const { data } = await openSandboxStripe().disputes.list({ charge })
  await turnStripeKnob(`disputes/${data[0]?.id}/close`, { outcome: 'lost' })
  await says(ticket, /Dispute lost on/)
  await ticket.understood()
})

test(
  'seats that are bought and not paid are explained in the organization’s case, and invoiced there',
  long,
  async ({ ada, take }) => {
    await subscribe(ada, 'teams', 2)
    const organization = await organizationOf(ada)
    await changeSeatsLater(organization, 5)
    const ticket = await take(organization)
    const plan = ticket.page.getByRole('button', { name: /^Subscription to Teams, monthly, 5 seats/ })
    await shows(ticket, timeline(ticket), 'Subscription to Teams, monthly, 5 seats')
    await plan.click()
    await expect(timeline(ticket)).toContainText(/Changed to 5 seats on .*, not yet invoiced or paid/)
    await ticket.understood()
    await act(ticket.page, 'Invoice now', '90.00 EUR')
    await expect(ticket.page.getByText('not yet invoiced')).toHaveCount(0)
    await expect(
      timeline(ticket).getByRole('button', { name: /^Invoice for a change of a plan by support/ }),
    ).toBeVisible()
    await ticket.mended()
  },
)

test(
  'an invitation that Clerk did not send is told at the top of the case, and sent when it is asked for again',
  longAndAlone,
  async ({ ada, take }) => {
    await subscribe(ada, 'teams', 3)
    const organization = await organizationOf(ada)
    const path_prefix = `/bapi/v1/organizations/${organization}/invitations`
    await turnClerkKnob('faults', { status: 500, for_ms: 600_000, path_prefix })
    const email = `guest.${randomUUID().slice(0, 8)}@tidemark.test`
    await expect(ada.call('/api/team-invitations', { org_id: organization, email })).rejects.toThrow()
    const ticket = await take(organization)
    await says(ticket, /Invitation of g….* failed on .*: Clerk did not answer/)
    await ticket.understood()
    await clearFaults()
    await ada.call('/api/team-invitations', { org_id: organization, email })
    await saysNoMore(ticket, 'Clerk did not answer')
    await ticket.mended()
  },
)

test(
  'a plan that was changed at Stripe and not heard is put right by a resync',
  longAndAlone,
  async ({ ada, take }) => {
    const subscription = await subscribe(ada, 'pro')
    await turnStripeKnob('deliveries', { mode: 'never' })
    await openSandboxStripe().subscriptions.cancel(subscription)
    const ticket = await take(ada.email)
    await says(ticket, /As far as Stripe was heard until/)
    await ticket.understood()
    await act(ticket.page, 'Resync', /Pro/)
    await says(ticket, /Starter/)
    await ticket.mended()
  },
)

test('a renewal that was declined is told with its reason, its sum and the next try', async ({
  ada,
  take,
}) => {
  const subscription = await subscribe(ada, 'pro')
  await turnStripeKnob(`subscriptions/${subscription}/renew`, { payment: 'fails' })
  const ticket = await take(ada.email)
  await says(ticket, /Card declined \(the bank gives no reason\): €20\.00 is open; Stripe tries again on/)
  await ticket.understood()
  await turnStripeKnob(`subscriptions/${subscription}/retry`)
  await saysNoMore(ticket, 'Card declined')
  await ticket.mended()
})

test(
  'an editor without credits leads from the person to the pool of their organization',
  long,
  async ({ ada, take }) => {
    await subscribe(ada, 'teams', 2)
    await ada.call('/api/extension-token/generate', {})
    const ticket = await take(ada.email)
    // The address is also that of a seat of the organization.
    await ticket.page.getByRole('main').getByRole('link').first().click()
    await shows(ticket, fact(ticket), 'Balance0 credits')
    await shows(ticket, fact(ticket), /Pool: [\d,]+ credits/)
    await shows(ticket, fact(ticket), /Admin, (no )?seat/)
    await shows(ticket, fact(ticket), 'Connected')
    await ticket.understood()
  },
)

test(
  'a balance that support changed names the colleague and the reason',
  long,
  async ({ ada, take, browser, baseURL }) => {
    await ada.buy(500)
    const colleague = await openConsole({ browser, baseURL }, sam)
    await colleague.goto(`/support/trace?owner=${ada.userId}`)
    await colleague.getByRole('button', { name: 'Adjust credits' }).click()
    await dialog(colleague).getByLabel('Credits', { exact: true }).fill('40')
    await dialog(colleague).getByLabel(/^Note/).fill('For the outage of Friday')
    await dialog(colleague).getByRole('button', { name: 'Preview' }).click()
    await dialog(colleague).getByLabel('Reason').fill('They waited for two days')
    await dialog(colleague).getByRole('button', { name: 'Adjust credits' }).click()
    await dialog(colleague).getByRole('button', { name: 'Done', exact: true }).click()
    await colleague.context().close()
    const ticket = await take(ada.email)
    await shows(ticket, timeline(ticket), '+40')
    const entry = timeline(ticket)
      .getByRole('button', { name: /by support/ })
      .first()
    await entry.click()
    await expect(timeline(ticket)).toContainText('They waited for two days')
    await expect(timeline(ticket)).toContainText('Sam Support')
    await ticket.understood()
  },
)

test(
  'a refund that failed says that the money is still with us and the credits are back',
  long,
  async ({ ada, take }) => {
    const session = await ada.buy(500)
    const refund = await openSandboxStripe().refunds.create({ charge: await chargeOf(session) })
    await receivedAbout('charge.refunded', ada)
    await turnStripeKnob(`refunds/${refund.id}/status`, { status: 'failed' })
    const ticket = await take(ada.email)
    await says(ticket, /A refund failed on .*: the money is still with us, and the credits are back/)
    await shows(ticket, fact(ticket), 'Balance500 credits')
    await ticket.understood()
  },
)

test('a subscription that no checkout of ours began is shown as unknown', long, async ({ take }) => {
  const stripe = openSandboxStripe()
  const customer = await stripe.customers.create({ email: 'elsewhere@tidemark.test' })
  const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  const [price] = (await stripe.prices.list({ lookup_keys: ['pro_monthly'] })).data
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    default_payment_method: method.id,
    items: [{ price: price?.id ?? '' }],
  })
  const ticket = await take(subscription.id)
  await expect(
    ticket.page.getByText(/without a matching customer|No matching customer/).first(),
  ).toBeVisible()
  await ticket.understood()
})
