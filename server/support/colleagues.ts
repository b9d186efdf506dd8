import type { ReadDatabase } from '../../schema/database/connect.ts'
import { isOwnerId, kindOf } from '../../schema/ledger/accounts.ts'
import { listNames } from '../../schema/people/users/users.ts'
import type { Dependencies } from '../dependencies.ts'
import { identify } from './owners.ts'

/** A colleague's name; the id itself for `schedule` and unknown actors. */
export type NameOf = (id: string) => string

/** Support staff need no account of the product, so Clerk is asked for unknown ones. */
export async function nameColleagues(
  { db, clerk }: { readonly db: ReadDatabase } & Pick<Dependencies, 'clerk'>,
  ids: readonly (string | null)[],
): Promise<NameOf> {
  const asked = [...new Set(ids)].filter((id) => id !== null)
  const ours = await listNames(db, asked)
  const theirs = await Promise.all(
    asked.map(async (id) => {
      const isPerson = isOwnerId(id) && kindOf(id) === 'user'
      const identity = !ours.has(id) && isPerson && (await identify(clerk, id))
      return [id, typeof identity === 'object' ? identity : null] as const
    }),
  )
  const atClerk = new Map(theirs)
  return (id) => {
    const known = ours.get(id) ?? atClerk.get(id)
    return known?.name ?? known?.email ?? id
  }
}
