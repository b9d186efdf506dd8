import type { Kysely } from 'kysely'
import { connectDatabase } from '../../../schema/database/connect.ts'
import type { DB } from '../../../schema/database/types.ts'
import { verifyLedger } from '../../../schema/ledger/verify.ts'

/** What the global setup launched. */
function address(name: 'E2E_STRIPE_URL' | 'E2E_DATABASE_URL'): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: the global setup launches the product and sets it`)
  return value
}

async function withDatabase<T>(work: (db: Kysely<DB>) => Promise<T>): Promise<T> {
  const connectionString = address('E2E_DATABASE_URL')
  const database = connectDatabase({ connectionString, role: 'owner', poolMax: 1, onError: () => undefined })
  try {
    return await work(database.db)
  } finally {
    await database.close()
  }
}

export function findLedgerProblems() {
  return withDatabase(async (db) => (await verifyLedger(db)).problems)
}

/** Turns a knob of the payment sandbox. */
export async function turnStripeKnob(path: string, body: object = {}): Promise<void> {
  const response = await fetch(`${address('E2E_STRIPE_URL')}/_sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
}
