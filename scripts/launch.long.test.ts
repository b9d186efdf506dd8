import { expect, test, vi } from 'vitest'
import { purchaseCredits } from '../schema/api/checkout.ts'
import { type BalanceChange, explainBalance } from '../schema/api/explanation.ts'
import { createCheckoutSession } from '../schema/api/subscriptions.ts'
import { getUser } from '../schema/api/users.ts'
import { openClerk } from '../schema/vendors/clerk/client.ts'
import { createStripe } from '../schema/vendors/stripe/client.ts'
import { launchedProduct } from '../tests/support/product/launched-product.ts'
import { askApi } from '../tests/support/product/test-server.ts'
import { type Person, signUp } from '../tests/support/services/clerk.ts'
import { waitUntil } from '../tests/support/wait-until.ts'

vi.setConfig({ testTimeout: 10 * 60_000, hookTimeout: 10 * 60_000 })
const launched = launchedProduct()

const historyOf = async ({ token }: Person): Promise<BalanceChange[]> =>
  (await askApi(launched.url, explainBalance, { token })).data.items

/** A trial of 14 days and the longest month of 31 make 45. */
const days = 46

test('one knob moves Stripe and the product: a trial ends, a month is renewed, its credits expire and new ones come', async () => {
  const ada = await signUp({ knob: (path, body) => launched.turn('clerk', path, body) })
  const { sessionId } = await askApi(launched.url, createCheckoutSession, {
    token: ada.token,
    body: { planType: 'pro', clerkUserId: ada.user_id },
  })
  await launched.turn('stripe', `sessions/${sessionId}/pay`, {})
  const trial = await waitUntil(
    async () => (await historyOf(ada)).find(({ cause }) => cause.kind === 'plan_month'),
    'the credits of the trial',
  )

  await launched.turn('stripe', 'clock/advance', { days })

  const history = await waitUntil(
    async () => {
      const items = await historyOf(ada)
      return items.filter(({ cause }) => cause.kind !== 'usage').length === 5 && items
    },
    `a charge after the trial and a renewal:\n${launched.lines.slice(-20).join('\n')}`,
  )
  const amounts = Map.groupBy(history, ({ cause }) => cause.kind)
  expect(amounts.get('plan_month')?.map(({ change }) => change.plan)).toEqual([500, 500, 500])
  expect(amounts.get('expiry')?.map(({ change }) => change.plan)).toEqual([-500, -500])
  expect(history[0]?.balance_after.total).toBe(500)
  const daysAfterTrial = amounts
    .get('plan_month')
    ?.map(({ occurred_at }) =>
      Math.round((Date.parse(occurred_at) - Date.parse(trial.occurred_at)) / 86_400_000),
    )
  expect(daysAfterTrial?.[1]).toBe(14)
  expect(daysAfterTrial?.[0]).toBeGreaterThanOrEqual(14 + 28)
  const { data: user } = await askApi(launched.url, getUser, {
    token: ada.token,
    query: { clerkId: ada.user_id },
  })
  expect(user.plan_type).toBe('pro')

  const stripe = createStripe({ secretKey: 'sk_test_sandbox', apiBase: launched.stripeSandboxUrl })
  const { data: invoices } = await stripe.invoices.list({ limit: 10 })
  expect(invoices.map(({ status, amount_paid }) => [status, amount_paid])).toEqual([
    ['paid', 2000],
    ['paid', 2000],
    ['paid', 0],
  ])
})

test('invitations expire by the same clock', async () => {
  const clerk = openClerk({ secretKey: 'sk_test_sandbox', apiUrl: `${launched.clerkSandboxUrl}/bapi` })
  const eva = await signUp({ knob: (path, body) => launched.turn('clerk', path, body) })
  const { id: organizationId } = await clerk.organizations.createOrganization({
    name: 'Time',
    createdBy: eva.user_id,
  })
  const invite = () =>
    clerk.organizations.createOrganizationInvitation({
      organizationId,
      inviterUserId: eva.user_id,
      emailAddress: 'guest@tidemark.test',
      role: 'org:member',
    })
  const { id: invitationId } = await invite()
  const statusNow = async () =>
    (await clerk.organizations.getOrganizationInvitation({ organizationId, invitationId })).status
  expect(await statusNow()).toBe('pending')
  await launched.turn('stripe', 'clock/advance', { days: 31 })
  await waitUntil(async () => (await statusNow()) === 'expired', 'the invitation to expire')
  expect((await invite()).status).toBe('pending')
})

test('the product works as before after that: a purchase is settled, and nothing counts as late', async () => {
  const bob = await signUp({ knob: (path, body) => launched.turn('clerk', path, body) })
  const { sessionId } = await askApi(launched.url, purchaseCredits, {
    token: bob.token,
    body: { clerkUserId: bob.user_id, credits: 500, amount: 7, currency: 'EUR' },
  })
  await launched.turn('stripe', `sessions/${sessionId}/pay`, {})
  const [entry] = await waitUntil(async () => {
    const items = await historyOf(bob)
    return items.length > 0 && items
  }, 'the credits')
  expect(entry).toMatchObject({
    cause: { kind: 'purchase' },
    change: { total: 500 },
    balance_after: { total: 500 },
  })
  expect(Date.parse(entry?.occurred_at ?? '')).toBeGreaterThan(Date.now() + (days - 1) * 86_400_000)
  // An event from just before the clock's move counts as a month old until it is applied.
  await waitUntil(async () => (await fetch(`${launched.url}/readyz`)).status === 200, 'nothing to be late')
})

test('the web app is served from the bundle, not from the sources', async () => {
  const page = await (await fetch(launched.url)).text()
  const [script] = /\/assets\/[\w.-]+\.js/.exec(page) ?? []
  const bundle = await fetch(`${launched.url}${script}`)
  expect(bundle.status).toBe(200)
  expect(await bundle.text()).not.toContain('sourceMappingURL')
  expect((await fetch(`${launched.url}${script}.map`)).status).toBe(404)
})
