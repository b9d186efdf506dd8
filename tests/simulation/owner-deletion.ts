import { expect } from 'vitest'
import { receiveClerkEvent } from '../support/factories/events.ts'
import type { ClerkSandboxEvent } from '../support/services/clerk.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import { chargesOf, latestSubscription } from './owner-at-stripe.ts'
import { deliver } from './owner-events.ts'
import { pass } from './pass.ts'
import { patience_ms } from './seed.ts'

const day_s = 86_400
/** Seconds of the product's time. */
const longest_s = 3600

type ClerkEvent = Pick<ClerkSandboxEvent, 'type' | 'payload'>

/** The person closes their account, or deletes the team's organization. Returns what Clerk will tell of it. */
export async function closeAccount(product: FaultyProduct, owner: Owner): Promise<ClerkEvent> {
  const { organization_id, person } = owner
  const { organizations, users } = product.clerk.client
  if (organization_id) await organizations.deleteOrganization(organization_id)
  else await users.deleteUser(person.user_id)
  const kind = organization_id ? 'organization' : 'user'
  const type = `${kind}.deleted`
  const data = { id: organization_id ?? person.user_id, object: kind, deleted: true }
  const payload = { object: 'event', type, timestamp: product.timeAtStripe() * 1000, data }
  return { type, payload }
}

/** An event of Clerk's arrives, and its first job is lost: it is due. */
export async function hearOfClerk(product: FaultyProduct, event: ClerkEvent): Promise<void> {
  const id = await receiveClerkEvent(product.database.server, event)
  const rows = product.database.owner.updateTable('inbox_events').set({ next_try_at: product.clock.now() })
  await rows.where('id', '=', id).execute()
}

/**
 * An account is closed, and Clerk tells us, perhaps late. Its plan ends within an hour, nothing is charged
 * afterwards, and what was charged in between goes back.
 */
export async function deleteOwner(product: FaultyProduct, owner: Owner, heardLate_s: number): Promise<void> {
  if (owner.kind === 'team' && owner.organization_id === null) return
  await product.repair()
  const id = owner.organization_id ?? owner.person.user_id
  const deleted_at = product.timeAtStripe()
  const deletion = await closeAccount(product, owner)
  if (heardLate_s > 0) {
    await pass(product, heardLate_s)
    await deliver(product, owner, { share: 1, order: 'shuffled', times: 1 })
    await product.rest()
  }
  await hearOfClerk(product, deletion)
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
  const after = await chargesOf(product, owner)
  expect(after.map((charge) => charge.id)).toEqual(charged)
  const kept = after.filter(({ created, disputed, amount, amount_refunded }) => {
    return created > deleted_at && !disputed && amount_refunded < amount
  })
  expect(kept, 'what was charged after the deletion').toEqual([])
}
