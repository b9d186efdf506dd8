import { type RawBuilder, sql } from 'kysely'

// The keys under which `ledger_spend` posts the usages that settle a hold: of what was reserved, `hold/<id>`,
// and of what was above, `hold/<id>/above`.

/** Both keys of a hold, for `IN`. */
export const keysOfHold = (id: RawBuilder<unknown>) => sql`('hold/' || ${id}, 'hold/' || ${id} || '/above')`

/** Whether a key is that of what was above. */
export const isAboveHold = (key: RawBuilder<unknown>) => sql<boolean>`${key} LIKE 'hold/%/above'`

/** The hold that a usage settled; undefined for any other transfer. */
export function holdOfKey(key: string): { readonly id: string; readonly is_above: boolean } | undefined {
  const [, id, above] = /^hold\/([0-9a-f-]{36})(\/above)?$/.exec(key) ?? []
  return id === undefined ? undefined : { id, is_above: above !== undefined }
}
