import type { Kysely } from 'kysely'
import type { DB } from '../database/types.ts'
import type { RowTarget } from './acts.ts'
import { isKnownOwner } from './lookups.ts'
import { findFirstOwner } from './owners.ts'
import { findTimelineRow, stateOf } from './timeline.ts'

export interface FoundTarget {
  readonly target: RowTarget
  /** Null when it is not known, or there is none yet. */
  readonly owner_id: string | null
  /** The state of its row; null without a row. */
  readonly state: string | null
}

type Db = Kysely<DB>

/** Objects of Stripe's that we may never have heard of. */
const atStripe: Readonly<Record<string, RegExp>> = { subscription: /^sub_\w+$/, charge: /^(ch|py)_\w+$/ }

/** Finds what an act is about; null when there is no such thing. A few look-ups by key. */
export async function findTarget(db: Db, { kind, id }: RowTarget): Promise<FoundTarget | null> {
  if (kind === 'user' || kind === 'organization') {
    return (await isKnownOwner(db, id)) ? { target: { kind, id }, owner_id: id, state: null } : null
  }
  const row = await findTimelineRow(db, { kind, id })
  if (row) {
    const owner_id = await findFirstOwner(db, row.names)
    return { target: { kind, id: row.id }, owner_id, state: stateOf(row) }
  }
  return atStripe[kind]?.test(id)
    ? { target: { kind, id }, owner_id: await findFirstOwner(db, [id]), state: null }
    : null
}
