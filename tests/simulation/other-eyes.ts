import { comparePlan, findPlans, listedPlanSchema } from '../../worker/reconciliation/plan-credits.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import { withoutFaults } from './play.ts'

/** What the reconciliation that does not use the position says of an owner's plans. */
export function seenByOtherEyes(product: FaultyProduct, owner: Owner): Promise<string[]> {
  return withoutFaults(product, async () => {
    const { database, stripe, clock } = product
    const rows = await database.owner
      .selectFrom('subscriptions')
      .select('stripe_subscription_id')
      .where('owner_id', '=', owner.organization_id ?? owner.person.user_id)
      .execute()
    const plans = await findPlans(
      database.owner,
      rows.map((row) => row.stripe_subscription_id),
    )
    const differences: string[] = []
    for (const [id, plan] of plans) {
      const fetched = await stripe.client.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
      const listed = listedPlanSchema.parse(fetched)
      const deps = { db: database.owner, stripe: stripe.client }
      const found = await comparePlan(deps, { listed, plan, now: clock.now() })
      differences.push(
        ...found.map(({ sentence, they_say, we_have }) => `${sentence}: ${they_say} ${we_have}`),
      )
    }
    return differences
  })
}
