import * as z from 'zod/mini'
import { planTypeSchema } from '../catalogue/schemas.ts'
import { editorBalanceSchema, namedPayer, noSeat, withNearestBudget } from './editor-balance.ts'
import { endpoint } from './endpoint.ts'
import { payerQuery, payerSchema } from './ids.ts'

const editorSchema = z.object({
  id: z.uuid(),
  /** The editor that opened the link of the sign-in; null for a program on the computer of the sign-in. */
  editor: z.nullable(z.string()),
  /** What it calls itself; not verified. */
  name: z.nullable(z.string()),
  signed_in_at: z.iso.datetime(),
  last_used_at: z.nullable(z.iso.datetime()),
  expires_at: z.iso.datetime(),
  /** Who pays for its calls. */
  payer: payerSchema,
})
export type SignedInEditor = z.infer<typeof editorSchema>

export const getActiveExtensionToken = endpoint({
  method: 'GET',
  path: '/api/extension-token/active',
  summary:
    'Whether the caller has a valid long-lived token that they generated, and which editors are signed in',
  auth: 'user',
  limit: 'read',
  response: z.object({
    hasActive: z.boolean(),
    created_at: z.nullable(z.iso.datetime()),
    expires_at: z.nullable(z.iso.datetime()),
    /** To five minutes. */
    last_used_at: z.nullable(z.iso.datetime()),
    /** Who pays for calls with the generated token. */
    payer: z.nullable(payerSchema),
    /** Each has a token of its own; the one that was used last comes first. */
    editors: z.array(editorSchema),
  }),
})

export const generateExtensionToken = endpoint({
  method: 'POST',
  path: '/api/extension-token/generate',
  summary: 'Create a long-lived token, which is shown only once; the one generated before ends',
  auth: 'user',
  limit: 'write',
  query: payerQuery,
  response: z.object({ access_token: z.string(), expires_at: z.iso.datetime() }),
})

export const revokeExtensionToken = endpoint({
  method: 'POST',
  path: '/api/extension-token/revoke',
  summary: 'Revoke the long-lived token that was generated; does nothing when there is none',
  auth: 'user',
  limit: 'write',
  response: z.object({ success: z.literal(true), revoked: z.boolean() }),
})

export const revokeEditor = endpoint({
  method: 'POST',
  path: '/api/extension-token/revoke-editor',
  summary: 'Revoke the token of one signed-in editor; does nothing when it has ended',
  auth: 'user',
  limit: 'write',
  body: z.strictObject({ id: z.uuid() }),
  response: z.object({ success: z.literal(true) }),
})

export const revokeAllExtensionTokens = endpoint({
  method: 'POST',
  path: '/api/extension-token/revoke-all',
  summary: 'Revoke the tokens of all connected editors and the one that was generated',
  auth: 'user',
  limit: 'write',
  /** `revoked`: how many worked until then. */
  response: z.object({ success: z.literal(true), revoked: z.int() }),
})

const listedPayerSchema = z.object({
  id: payerSchema,
  name: z.string(),
  /** Zero without a seat, as everything here. */
  available: z.int(),
  held: z.int(),
  low: z.boolean(),
  is_default: z.boolean(),
  /** Why it cannot pay now. `payment_failed`: its plan is not paid, and nothing is left. */
  cannot_pay: z.nullable(z.enum(['no_seat', 'no_credits', 'payment_failed'])),
})
export type ListedPayer = z.infer<typeof listedPayerSchema>

/** The user, then the organizations in which they are a member, by their names. */
const listedPayers = z.object({ success: z.literal(true), payers: z.array(listedPayerSchema) })
const chosenPayer = z.strictObject({ payer: payerSchema })
const payerChosen = z.object({ success: z.literal(true), payer: payerSchema })

export const listPayers = endpoint({
  method: 'GET',
  path: '/api/extension/payers',
  summary: 'Who could pay for the calls of this token: its user, and the organizations of its user',
  auth: 'extension',
  limit: 'extension',
  response: listedPayers,
})

export const choosePayer = endpoint({
  method: 'PUT',
  path: '/api/extension/payer',
  summary: 'Choose who pays for the calls of this token that name no payer',
  auth: 'extension',
  limit: 'extension',
  body: chosenPayer,
  response: payerChosen,
  also: { 404: noSeat },
})

export const listOwnPayers = endpoint({
  method: 'GET',
  path: '/api/extension-token/payers',
  summary: 'Who could pay for the caller’s editors; the default is the one to suggest for a new one',
  auth: 'user',
  limit: 'read',
  /** `payer`: the account that is selected in the browser. */
  query: payerQuery,
  response: listedPayers,
})

export const choosePayerOfEditor = endpoint({
  method: 'POST',
  path: '/api/extension-token/payer',
  summary: 'Choose who pays for the calls of a signed-in editor, or of the generated token',
  auth: 'user',
  limit: 'write',
  /** Without an id it is the generated token. */
  body: z.extend(chosenPayer, { id: z.optional(z.uuid()) }),
  response: payerChosen,
  also: { 404: { description: 'No such editor, or no seat in the organization' } },
})

export const getExtensionBalance = endpoint({
  method: 'GET',
  path: '/api/extension/balance',
  summary: 'The balance of a payer; 304 while it matches If-None-Match',
  auth: 'extension',
  limit: 'extension',
  query: z.strictObject(namedPayer),
  response: z.extend(editorBalanceSchema, {
    plan_type: planTypeSchema,
    /** Grows with every ledger entry. */
    version: z.int(),
    as_of: z.iso.datetime(),
    ...withNearestBudget,
  }),
  also: {
    304: { description: 'Nothing has changed since the ETag in If-None-Match' },
    404: noSeat,
  },
})

export const signOutEditor = endpoint({
  method: 'POST',
  path: '/api/extension/sign-out',
  summary: 'End the token that makes this call',
  auth: 'extension',
  limit: 'extension',
  response: z.object({ success: z.literal(true) }),
})
