import * as z from 'zod/mini'

/** Clerk's id of an organization, e.g. `org_2abc`. The route's rights check the membership. */
export const organizationIdSchema = z.string().check(z.maxLength(64), z.regex(/^org_[A-Za-z0-9]+$/))

/** Clerk's id of a user, e.g. `user_2abc`. Only a claim: the route's rights compare it with the caller's. */
export const userIdSchema = z.string().check(z.minLength(1), z.maxLength(64))

/** The payer: the caller or an organization. Checked by the route's rights, like every id. */
export const payerSchema = z
  .string()
  .check(
    z.maxLength(64),
    z.regex(/^(personal|org_\w+)$/, 'The payer must be personal or the id of an organization'),
  )

export const payerQuery = z.strictObject({ payer: z._default(payerSchema, 'personal') })

/** Clerk's id of a credit owner, as support names them. */
export const ownerIdSchema = z
  .string()
  .check(
    z.maxLength(64),
    z.regex(/^(user|org)_\w+$/, 'Give the id of a user or an organization: user_… or org_…'),
  )
