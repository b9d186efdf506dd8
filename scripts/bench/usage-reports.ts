import { randomUUID } from 'node:crypto'
import type { HttpRequest } from './http-load.ts'
import { tokenOf, wallets } from './wallets.ts'

/** Of all users in turn, each with a key of its own. */
export function usageReports(count: number, payer: string): HttpRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path: '/api/extension/usage',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(index % wallets)}` },
    body: Buffer.from(
      JSON.stringify({ credits: 1, payer, idempotency_key: randomUUID(), description: 'Completion' }),
    ),
  }))
}
