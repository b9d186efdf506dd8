import * as z from 'zod/mini'
import { accountSummarySchema, getNextPayment } from './account.ts'
import { billingDocumentSchema, listBillingDocuments } from './billing.ts'
import { getUsageSummary, usageDays } from './credits.ts'
import { endpoint } from './endpoint.ts'
import { explainBalance } from './explanation.ts'
import { ownerIdSchema } from './ids.ts'
import { vendorLinksSchema } from './support.ts'

/** What a customer reads on their billing page, for the support staff who open their case. */
export const getCustomerSummary = endpoint({
  method: 'GET',
  path: '/api/support/customer/summary',
  summary: 'An owner’s balance, plan and payments as the owner, or an admin, sees them',
  auth: 'support',
  limit: 'read',
  query: z.strictObject({ owner: ownerIdSchema }),
  response: accountSummarySchema,
})

export const getCustomerNextPayment = endpoint({
  method: 'GET',
  path: '/api/support/customer/next-payment',
  summary: 'The next payment of an owner’s plan and its card, as Stripe has it',
  auth: 'support',
  limit: 'read',
  query: z.strictObject({ owner: ownerIdSchema }),
  response: getNextPayment.response,
})

export const getCustomerBalance = endpoint({
  method: 'GET',
  path: '/api/support/customer/balance',
  summary: 'Each change of an owner’s balance as the owner sees it, newest first',
  auth: 'support',
  limit: 'read',
  query: z.strictObject({
    owner: ownerIdSchema,
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 25),
    cursor: z.optional(z.string().check(z.maxLength(64))),
  }),
  response: explainBalance.response,
})

export const getCustomerUsage = endpoint({
  method: 'GET',
  path: '/api/support/customer/usage',
  summary: 'The summary of an owner’s usage as the owner sees it',
  auth: 'support',
  limit: 'read',
  query: z.strictObject({ owner: ownerIdSchema, ...usageDays }),
  response: getUsageSummary.response,
})

export const listCustomerDocuments = endpoint({
  method: 'GET',
  path: '/api/support/customer/invoices',
  summary: 'An owner’s invoices and receipts at Stripe, each with its page in Stripe’s dashboard',
  auth: 'support',
  limit: 'read',
  query: z.strictObject({
    owner: ownerIdSchema,
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(50)), 10),
    cursor: z.optional(z.string().check(z.maxLength(400))),
  }),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      items: z.array(z.extend(billingDocumentSchema, { links: vendorLinksSchema })),
      next_cursor: listBillingDocuments.response.shape.data.shape.next_cursor,
    }),
  }),
})
