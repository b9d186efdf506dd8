import { expect } from 'vitest'
import { receiveClerkEvent } from '../support/factories/events.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import { chargesOf, latestSubscription } from './owner-at-stripe.ts'
import { pass } from './pass.ts'
import { patience_ms } from './seed.ts'

const day_s = 86_400
/** Seconds of the product's time. */
const longest_s = 3600

/**
 * The person closes their account, or deletes the team's organization, and Clerk tells us. Their plan ends
 * within an hour, and nothing is charged afterwards.
 */
export async function deleteOwner(product: FaultyProduct, owner: Owner): Promise<void> {
  const { organization_id, person } = owner
  if (owner.kind === 'team' && organization_id === null) return
  await product.repair()
  const id = organization_id ?? person.user_id
  const kind = organization_id ? 'organization' : 'user'
  const { organizations, users } = product.clerk.client
  if (organization_id) await organizations.deleteOrganization(organization_id)
  else await users.deleteUser(person.user_id)
  const type = `${kind}.deleted`
  const payload = { object: 'event', type, timestamp: Date.now(), data: { id, object: kind, deleted: true } }
  await receiveClerkEvent(product.database.server, { type, payload })
  let passed_s = 0
  const isOver = async () => {
    const latest = await latestSubscription(product, owner)
    const rows = await product.database.owner
      .selectFrom('subscriptions')
      .select('status')
      .where('owner_id', '=', id)
      .where('status', 'not in', ['canceled', 'incomplete_expired'])
      .execute()
    const isEnded = !latest || latest.ended_at !== null || /^incomplete/.test(latest.status)
    if (isEnded && rows.length === 0) return true
    if (passed_s < longest_s) await pass(product, 60)
    passed_s += 60
    return false
  }
  await waitUntil(isOver, `the plan of ${id} to end, ${passed_s} s of the product’s time`, 10 * patience_ms)
  const charged = (await chargesOf(product, owner)).map((charge) => charge.id)
  await pass(product, 40 * day_s)
  expect((await chargesOf(product, owner)).map((charge) => charge.id)).toEqual(charged)
}
