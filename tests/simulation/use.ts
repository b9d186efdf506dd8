import { generateExtensionToken, reportUsage } from '../../schema/api/extension.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { belongings, openMonth, spend } from './model.ts'
import { type Owner, tokenFor } from './owner.ts'
import { whatHappened } from './what-happened.ts'

/** Uses a share of the balance, or more than all of it, and compares the answer with the model. */
export async function use(
  product: FaultyProduct,
  owner: Owner,
  { percent, reports }: { percent: number; reports: number },
): Promise<void> {
  const life = await whatHappened(product, owner)
  const now = product.clock.now().getTime() / 1000
  const before = belongings(life, now)
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
    if (JSON.stringify(found) !== JSON.stringify(expected ?? 402)) {
      throw new Error(
        `${credits} credits of ${before.plan} + ${before.purchased}: expected ${JSON.stringify(expected ?? 402)}, got ${JSON.stringify(found)}\n${JSON.stringify(answer.body)}`,
      )
    }
  }
  if (expected) owner.usages.push({ ...expected, month: openMonth(life, now)?.name ?? null })
}
