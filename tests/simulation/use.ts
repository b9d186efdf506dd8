import { generateExtensionToken } from '../../schema/api/extension.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { availableOf, belongings, type Funds, isWrittenDown, spend } from './model.ts'
import { limitsOn } from './model-budgets.ts'
import { refusalOf } from './model-holds.ts'
import { type Owner, tokenFor, toldBelongings } from './owner.ts'
import { findPosted, monthOf, usageKeyOf } from './owner-ledger.ts'
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
  const credits = Math.min(10_000, Math.max(1, Math.ceil((availableOf(before) * percent) / 100)))
  // What has expired may still be held of the plan.
  const isExact = isWrittenDown(life, now)
  const splitOf = ({ plan, purchased }: Pick<Funds, 'plan' | 'purchased'>) =>
    isExact ? { plan, purchased } : { credits: plan + purchased }
  const spender = { by: owner.person.user_id, run: null }
  const [nearest] = limitsOn(life, now, spender)
  const expected = {
    refused: 402,
    over_budget: nearest && {
      ...nearest,
      resets_at: new Date((nearest.resets_at ?? 0) * 1000).toISOString(),
    },
    none: splitOf(spend(before, credits) ?? { plan: 0, purchased: 0 }),
  }[refusalOf(life, now, { ...spender, credits }) ?? 'none']
  const token = await tokenFor(product, owner)
  const { access_token } = await product.server.ask(generateExtensionToken, { token })
  const body = {
    credits,
    payer: owner.organization_id ?? 'personal',
    idempotency_key: `use-${owner.usages.length}-${now}`,
  }
  for (let report = 0; report < reports; report++) {
    const answer = await product.server.api(reportUsage, { token: access_token, body })
    const told = answer.body as { balance?: { plan: number; purchased: number }; budget?: object }
    const { plan = 0, purchased = 0 } = told.balance ?? {}
    const balance =
      told.balance && splitOf({ plan: before.plan - plan, purchased: before.purchased - purchased })
    const found = answer.status === 200 ? (balance ?? 'nothing') : (told.budget ?? answer.status)
    // An event may be applied between two answers.
    if (isSettled && JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Error(
        `${credits} credits of ${before.plan} + ${before.purchased}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(found)}\n${JSON.stringify(answer.body)}`,
      )
    }
  }
  const posted = await findPosted(product, owner, usageKeyOf(owner, body.idempotency_key))
  if (!posted) return
  const at = posted.occurred_at.getTime() / 1000
  const taken = { plan: posted.plan, purchased: posted.purchased }
  const { month } = monthOf(await whatHappened(product, owner), posted, now)
  owner.usages.push({ ...taken, at, month })
  owner.spending.used.push({
    at,
    ...spender,
    editor: 'token',
    model: null,
    requests: 1,
    failed: 0,
    credits: taken.plan + taken.purchased,
    by_tokens: 0,
  })
}
