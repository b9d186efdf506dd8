import * as z from 'zod/mini'
import { currencySchema, planTypeSchema } from '../catalogue/schemas.ts'
import { endpoint } from './endpoint.ts'
import { userIdSchema } from './ids.ts'

export const userSchema = z.object({
  clerk_id: z.string(),
  email: z.string(),
  first_name: z.nullable(z.string()),
  last_name: z.nullable(z.string()),
  plan_type: planTypeSchema,
  /** The total balance in the ledger: plan credits and purchased credits together. */
  credits: z.int(),
  plan_credits: z.int(),
  purchased_credits: z.int(),
  created_at: z.iso.datetime(),
})
export type User = z.infer<typeof userSchema>

const email = z.email().check(z.maxLength(320))
const personName = z.nullish(z.string().check(z.maxLength(200)))

export const getUser = endpoint({
  method: 'GET',
  path: '/api/user/get',
  summary: 'The caller’s own account with plan and balance',
  auth: 'user',
  limit: 'read',
  query: z.strictObject({ clerkId: userIdSchema }),
  response: z.object({ data: userSchema }),
})

export const initializeUser = endpoint({
  method: 'POST',
  path: '/api/user/initialize',
  summary: 'Make sure that the caller has an account; can be repeated safely',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({
    clerkUser: z.object({
      id: userIdSchema,
      emailAddresses: z.array(z.object({ emailAddress: email })).check(z.maxLength(50)),
      firstName: personName,
      lastName: personName,
    }),
    planType: planTypeSchema,
  }),
  response: z.object({
    user: userSchema,
    created: z.boolean(),
    /** The caller's present plan, so that they are not sent to a checkout that would be refused. */
    subscribed: z.object({
      personal: z.boolean(),
      /** The organization of the caller's Teams plan; null without one, or while it is being created. */
      team_organization_id: z.nullable(z.string()),
      team: z.boolean(),
    }),
  }),
})

export const processStarterSignup = endpoint({
  method: 'POST',
  path: '/api/starter/process-signup',
  summary: 'Finish a sign-up on the free plan; can be repeated safely',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({
    clerkUserId: userIdSchema,
    email,
    firstName: personName,
    lastName: personName,
    /** Chosen on the pricing page; ignored where a plan decides it. */
    currency: z.optional(currencySchema),
  }),
  response: z.object({ message: z.string(), data: userSchema }),
})
