import { expect, test } from 'vitest'
import { getAccountSummary, getNextPayment } from '../../schema/api/account.ts'
import { listBillingDocuments } from '../../schema/api/billing.ts'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { getUsageSummary } from '../../schema/api/credits.ts'
import { explainBalance } from '../../schema/api/explanation.ts'
import { getTrace } from '../../schema/api/support.ts'
import {
  getCustomerBalance,
  getCustomerNextPayment,
  getCustomerSummary,
  getCustomerUsage,
  listCustomerDocuments,
} from '../../schema/api/support-customer.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { listAudit } from '../../schema/support/audit.ts'
import { buildExtensionToken, buildSignedInEditor } from '../../tests/support/factories/extension-tokens.ts'
import { buildTeam, giveSeat } from '../../tests/support/factories/teams.ts'
import { giveCredits, spendNow } from '../../tests/support/factories/transfers.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { clerk, clock, database, server, stripe } = product
const sam = madeOnce(() => signUp(clerk, { role: 'support' }))

test('support reads the account, the balance, the usage and the invoices that the customer reads, and it is in the audit log once', async () => {
  const ada = await signUp(clerk)
  const credits = 500
  const amount = creditsCostMinor(credits) / 100
  const body = { clerkUserId: ada.user_id, credits, amount, currency: 'EUR' as const }
  const { sessionId } = await server.ask(purchaseCredits, { token: ada.token, body })
  await stripe.knob(`sessions/${sessionId}/pay`, {})
  const owner = ada.user_id
  const onTheWay = await server.ask(getAccountSummary, { token: ada.token, query: { payer: 'personal' } })
  const summary = await server.ask(getCustomerSummary, { token: sam.token, query: { owner } })
  expect(summary).toEqual({ ...onTheWay, as_of: summary.as_of })
  expect(await server.ask(getCustomerNextPayment, { token: sam.token, query: { owner } })).toEqual(
    await server.ask(getNextPayment, { token: ada.token, query: { payer: 'personal' } }),
  )
  await giveCredits(database, owner, { purchased: 30 })
  await spendNow(database.server, owner, 1, { occurred_at: clock.now() })
  const time_zone = 'Europe/Berlin'

  const seen = await server.ask(getCustomerBalance, { token: sam.token, query: { owner } })
  const own = await server.ask(explainBalance, { token: ada.token })
  expect(seen.data.items).toEqual(own.data.items)
  expect(seen.data.items).toHaveLength(2)
  expect(seen.data.balance).toMatchObject({ total: 29 })
  const usage = await server.ask(getCustomerUsage, { token: sam.token, query: { owner, time_zone } })
  expect(usage).toEqual(await server.ask(getUsageSummary, { token: ada.token, query: { time_zone } }))
  const documents = await server.ask(listCustomerDocuments, { token: sam.token, query: { owner } })
  const [shown] = documents.data.items
  expect(shown).toMatchObject({ id: sessionId, hosted_url: expect.stringMatching(/^https?:/) })
  const list = await server.ask(listBillingDocuments, { token: ada.token })
  expect(documents.data.items.map(({ links: _, ...item }) => item)).toEqual(list.data.items)

  const lines = await listAudit(database.server, { actor: sam.user_id }, { limit: 10 })
  expect(lines).toMatchObject([{ what: 'open_case', owner_id: ada.user_id }])
})

test('support reads the account of an organization as an admin of it, with its name', async () => {
  const { admin, organization } = await buildTeam(product)
  const query = { payer: organization.id }
  const own = await server.ask(getAccountSummary, { token: admin.token, query })
  const seen = await server.ask(getCustomerSummary, {
    token: sam.token,
    query: { owner: organization.id },
  })
  expect(seen).toEqual({ ...own, member_since: null, has_seat: seen.has_seat, as_of: seen.as_of })
})

test('the case of a person names their organizations with pool and seat, and lists their editors', async () => {
  const team = await buildTeam(product)
  const { admin, organization } = team
  await giveSeat(product, team, admin.email)
  await giveCredits(database, organization.id, { plan: 700 })
  const connected_at = clock.now()
  const before = new Date(connected_at.getTime() - 86_400_000)
  const editor = { scheme: 'cursor', editor_name: 'Cursor on laptop' }
  await buildSignedInEditor(database.server, { user_id: admin.user_id, now: before, ...editor })
  await buildExtensionToken(database, admin.user_id, before)
  await buildExtensionToken(database, admin.user_id, connected_at)

  const { person } = await server.ask(getTrace, { token: sam.token, query: { owner: admin.user_id } })
  expect(person?.related).toEqual([
    {
      kind: 'organization',
      id: organization.id,
      label: organization.name,
      role: 'admin',
      has_seat: true,
      pool: 700,
    },
  ])
  expect(person?.editors).toMatchObject([
    { kind: 'generated', state: 'connected', connected_at: connected_at.toISOString(), last_used_at: null },
    { kind: 'signed_in', editor: 'Cursor', name: 'Cursor on laptop', state: 'connected' },
    { kind: 'generated', editor: null, name: null, state: 'revoked' },
  ])
})
