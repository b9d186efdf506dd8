import type { Fulfilment } from '../../schema/api/checkout.ts'
import { type CheckoutIntent, type IntentState, recipientOf } from '../../schema/checkout/intents.ts'
import type { Database } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/balances.ts'

const stateShown: Readonly<Record<IntentState, Fulfilment['state']>> = {
  created: 'pending',
  open: 'pending',
  awaiting_payment: 'pending',
  settled: 'applied',
  failed: 'failed',
  expired: 'expired',
}

/** What became of a purchase, by our own books. Only a settled intent, whose transfer is posted, counts as applied. */
export async function presentFulfilment(db: Database, intent: CheckoutIntent): Promise<Fulfilment> {
  const recipient = recipientOf(intent)
  return {
    state: stateShown[intent.state],
    credits: intent.credits,
    balance: recipient ? (await findBalance(db, recipient)).total : 0,
    applied_at: intent.settled_at?.toISOString() ?? null,
  }
}
