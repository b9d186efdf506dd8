import type { ListedPayer } from '../schema/api/extension.ts'
import { findLiveSubscription, isOverdue } from '../schema/billing/subscriptions/subscriptions.ts'
import type { Database } from '../schema/database/connect.ts'
import type { Dependencies } from './dependencies.ts'
import { ownerOf, presentBalance } from './editor-payer.ts'

type Payer = Omit<ListedPayer, 'is_default'>

/** The user and the organizations of which they are a member at Clerk, with what each could pay now. */
export async function listPayersOf(
  { db, clerk, editorCalls, now }: Pick<Dependencies, 'db' | 'clerk' | 'editorCalls' | 'now'>,
  user_id: string,
): Promise<Payer[]> {
  const organizations = (await clerk.listMembershipsOf(user_id))
    .map(({ organization_id: id, organization_name: name }) => ({ id, name }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
  return Promise.all(
    [{ id: 'personal', name: 'Personal account' }, ...organizations].map(async (named): Promise<Payer> => {
      const { id } = named
      const balance = await editorCalls.readBalance({ user_id, token_id: null, payer: id, now: now() })
      if (id !== 'personal' && balance.seat_role === null) {
        return { ...named, available: 0, held: 0, low: false, cannot_pay: 'no_seat' }
      }
      const { available, held, low } = presentBalance(id, balance)
      const cannot_pay = available > 0 ? null : await whyEmpty(db, ownerOf(id, user_id))
      return { ...named, available, held, low, cannot_pay }
    }),
  )
}

async function whyEmpty(db: Database, owner_id: string): Promise<'no_credits' | 'payment_failed'> {
  return isOverdue(await findLiveSubscription(db, owner_id)) ? 'payment_failed' : 'no_credits'
}

/** For a new editor: the organization that its user has selected and has a seat in, else who has credits. */
export function suggestPayer(payers: readonly Payer[], selected: string): string {
  const organization = payers.find(({ id }) => id === selected && id !== 'personal')
  if (organization && organization.cannot_pay !== 'no_seat') return organization.id
  return payers.find(({ cannot_pay }) => cannot_pay === null)?.id ?? 'personal'
}
