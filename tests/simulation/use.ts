import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { generateExtensionToken, reportUsage } from '../../schema/api/extension.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { belongings, monthBegunAt, spend } from './model.ts'
import { type Owner, tokenFor, toldBelongings } from './owner.ts'
import { whatHappened } from './what-happened.ts'

/**
 * Uses a share of the balance, or more than all of it. Where the product knows everything that happened, the
 * answer is compared with the model's balance; while events are under way, with what the product told before.
 */
export async function use(
  product: FaultyProduct,
  owner: Owner,
  { percent, reports, isSettled }: { percent: number; reports: number; isSettled: boolean },
): Promise<void> {
  const life = await whatHappened(product, owner)
  const now = product.clock.now().getTime() / 1000
  const before = isSettled ? belongings(life, now) : await toldBelongings(product, owner)
  // The team's credits need a seat.
  if (owner.kind === 'team' && before.seats_total === 0) return
  const credits = Math.min(10_000, Math.max(1, Math.ceil(((before.plan + before.purchased) * percent) / 100)))
  const expected = spend(before, credits)
  const token = await tokenFor(product, owner)
  const { access_token } = await product.server.ask(generateExtensionToken, { token })
  const body = {
    credits,
    payer: owner.organization_id ?? 'personal',
    idempotency_key: `use-${owner.usages.length}-${now}`,
  }
  for (let report = 0; report < reports; report++) {
    const answer = await product.server.api(reportUsage, { token: access_token, body })
    const told = answer.body as { balance?: { plan: number; purchased: number } }
    const found =
      answer.status === 200 && told.balance
        ? { plan: before.plan - told.balance.plan, purchased: before.purchased - told.balance.purchased }
        : answer.status
    // An event may be applied between two answers.
    if (isSettled && JSON.stringify(found) !== JSON.stringify(expected ?? 402)) {
      throw new Error(
        `${credits} credits of ${before.plan} + ${before.purchased}: expected ${JSON.stringify(expected ?? 402)}, got ${JSON.stringify(found)}\n${JSON.stringify(answer.body)}`,
      )
    }
  }
  const posted = await findPosted(product, owner, body.idempotency_key)
  if (!posted) return
  const { occurred_at, month_starts_at, ...taken } = posted
  const starts_at = month_starts_at && month_starts_at.getTime() / 1000
  const month =
    starts_at === null ? undefined : monthBegunAt(await whatHappened(product, owner), starts_at, now)
  owner.usages.push({ ...taken, at: occurred_at.getTime() / 1000, month: month?.name ?? null })
}

/** What a usage took, and the latest month that the product knew when it was posted. */
async function findPosted({ database }: FaultyProduct, owner: Owner, reportersKey: string) {
  const key = createHash('sha256').update(`${owner.person.user_id}\0${reportersKey}`).digest('hex')
  const { rows } = await sql<{
    occurred_at: Date
    plan: number
    purchased: number
    month_starts_at: Date | null
  }>`
    SELECT transfer.occurred_at,
      coalesce(-sum(entry.amount) FILTER (WHERE account.name = 'plan'), 0)::integer AS plan,
      coalesce(-sum(entry.amount) FILTER (WHERE account.name = 'purchased'), 0)::integer AS purchased,
      (SELECT max(month_starts_at) FROM ledger_grants
        WHERE owner_id = transfer.owner_id AND first_transfer_id < transfer.id) AS month_starts_at
    FROM ledger_transfers transfer
    JOIN ledger_entries entry ON entry.owner_id = transfer.owner_id AND entry.transfer_id = transfer.id
    JOIN ledger_accounts account ON account.id = entry.account_id
    WHERE transfer.idempotency_key = ${`usage/${key}`}
    GROUP BY transfer.id, transfer.owner_id, transfer.occurred_at`.execute(database.owner)
  return rows[0]
}
