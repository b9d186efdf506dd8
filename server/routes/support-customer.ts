import {
  getCustomerBalance,
  getCustomerUsage,
  listCustomerDocuments,
} from '../../schema/api/support-customer.ts'
import type { StripeDocument } from '../../schema/vendors/stripe/billing-documents.ts'
import { invoicesFailure } from '../failures.ts'
import { supportStaff } from '../rights.ts'
import { route } from '../route.ts'
import { stripeLinks } from '../support/items.ts'
import { readDocuments } from './billing.ts'
import { readUsageSummary } from './credits.ts'
import { readExplanationPage } from './explanation.ts'
import { openCaseOf } from './support.ts'

/** Part of a case: a read through these calls alone is written to the audit log as the case is. */
export const supportCustomerRoutes = [
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
