import {
  getCustomerBalance,
  getCustomerNextPayment,
  getCustomerSummary,
  getCustomerUsage,
  listCustomerDocuments,
} from '../../schema/api/support-customer.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import type { StripeDocument } from '../../schema/vendors/stripe/billing-documents.ts'
import { invoicesFailure, stripeFailure } from '../failures.ts'
import { supportStaff } from '../rights.ts'
import { route } from '../route.ts'
import { stripeLinks } from '../support/items.ts'
import { identify } from '../support/owners.ts'
import { readAccountSummary, readNextPayment } from './account.ts'
import { readDocuments } from './billing.ts'
import { readUsageSummary } from './credits.ts'
import { readExplanationPage } from './explanation.ts'
import { openCaseOf } from './support.ts'

const asAdmin = { may_manage: true } as const

/** Part of a case: a read through these calls alone is written to the audit log as the case is. */
export const supportCustomerRoutes = [
  route(getCustomerSummary, { rights: supportStaff }).handle(async ({ query, user_id }, deps) => {
    const owner_id = await openCaseOf(deps, query.owner, user_id)
    if (kindOf(owner_id) === 'user')
      return readAccountSummary(deps, {
        ...asAdmin,
        payer: 'personal',
        owner_id,
        user_id: owner_id,
        member: null,
      })
    const identity = await identify(deps.clerk, owner_id)
    const name = (typeof identity === 'object' && identity.name) || owner_id
    const member = { organization_name: name }
    return readAccountSummary(deps, { ...asAdmin, payer: owner_id, owner_id, user_id: owner_id, member })
  }),

  route(getCustomerNextPayment, {
    rights: supportStaff,
    failure: stripeFailure('Failed to load the next payment', 'next_payment_unavailable'),
  }).handle(async ({ query, user_id }, deps) =>
    readNextPayment(deps, await openCaseOf(deps, query.owner, user_id)),
  ),

  route(getCustomerBalance, { rights: supportStaff }).handle(async ({ query, user_id }, deps) => {
    const owner = await openCaseOf(deps, query.owner, user_id)
    return readExplanationPage(deps, owner, { ...query, time_zone: 'UTC' })
  }),

  route(getCustomerUsage, { rights: supportStaff }).handle(async ({ query, user_id }, deps) => {
    const owner = await openCaseOf(deps, query.owner, user_id)
    return readUsageSummary(deps, owner, query)
  }),

  route(listCustomerDocuments, {
    rights: supportStaff,
    failure: invoicesFailure(
      'Stripe does not answer, so its invoices cannot be listed. Try again in a moment.',
    ),
  }).handle(async ({ query, user_id }, deps) => {
    const owner = await openCaseOf(deps, query.owner, user_id)
    const { documents, next_cursor } = await readDocuments(deps, owner, query)
    const items = documents.map(({ document, shown }) => {
      const { id, livemode } = paymentOf(document)
      return { ...shown, links: stripeLinks(deps.settings, id, livemode) }
    })
    return { success: true, data: { items, next_cursor } }
  }),
]

/** What support opens at Stripe to refund, or to see why a card was declined: the payment or its invoice. */
function paymentOf(document: StripeDocument): { readonly id: string; readonly livemode: boolean } {
  if (document.kind === 'invoice')
    return { id: document.invoice.id ?? '', livemode: document.invoice.livemode }
  const { charge, session } = document
  return { id: charge?.id ?? session.id, livemode: session.livemode }
}
