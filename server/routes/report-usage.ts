import type { reportUsage } from '../../schema/api/extension.ts'
import { IdempotencyConflictError } from '../../schema/ledger/errors.ts'
import { spendCredits } from '../../schema/ledger/usage.ts'
import { usageKeyTaken } from '../errors.ts'
import { resolvePayer } from '../extension/payer.ts'
import { usageRefusal } from '../extension/refuse-usage.ts'
import { presentSpendable } from '../extension/spendable.ts'
import type { Handler } from '../mount.ts'

export const handleReportUsage: Handler<typeof reportUsage> = async ({ body, user_id }, deps) => {
  const { credits, description, idempotency_key } = body
  const payer = await resolvePayer(deps, { payer: body.payer, user_id })
  const usage = await spendCredits(deps.db, {
    ...payer.owner,
    credits,
    // People of one organization do not know each other's keys, so each has names of their own.
    idempotency_key: `${user_id}/${idempotency_key}`,
    occurred_at: deps.now(),
    actor: user_id,
    reason: description,
  }).catch((error: unknown) => {
    throw error instanceof IdempotencyConflictError ? usageKeyTaken(error) : error
  })
  if (usage.outcome === 'refused') throw usageRefusal(deps, payer, { ...usage, required: credits })
  return {
    success: true,
    charged: credits,
    replayed: usage.outcome === 'replayed',
    balance: presentSpendable(payer.name, usage),
  }
}
