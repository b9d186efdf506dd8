import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { payerQuery } from './ids.ts'

export const chooseMails = endpoint({
  method: 'PUT',
  path: '/api/account/mails',
  summary: 'Switch the caller’s mails about their own account or an organization on or off',
  auth: 'user',
  limit: 'write',
  query: payerQuery,
  body: z.strictObject({ on: z.boolean() }),
  response: z.object({ success: z.literal(true) }),
})
