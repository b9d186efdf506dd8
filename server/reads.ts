import { type Reads, readsFrom } from '../schema/database/replica.ts'
import type { Owner } from '../schema/ledger/accounts.ts'
import { hasChange } from '../schema/ledger/read/explanation.ts'
import type { Dependencies } from './dependencies.ts'

/**
 * Where to read an owner's entries. A page that goes on below a change is read where that change is: the
 * page before it may have come from the primary, and what the replica does not have yet would be missing
 * between the two.
 */
export async function chooseReads(
  { db, reads }: Pick<Dependencies, 'db' | 'reads'>,
  owner: Owner,
  below?: number,
): Promise<Reads> {
  const chosen = await reads()
  if (!chosen.is_replica || below === undefined) return chosen
  return (await hasChange(chosen.db, owner, below)) ? chosen : readsFrom(db)
}

/** Data of this age counts as current. */
const presentMs = 2000

/** The moment since which something may be missing in what was read; null when nothing can be missing. */
export function missingSince({ age_ms }: Reads, now: Date): Date | null {
  return age_ms <= presentMs ? null : new Date(now.getTime() - age_ms)
}
