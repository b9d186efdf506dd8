/** Who can own credits. Ids are Clerk's: `user_…`, `org_…`. */
export interface Owner {
  readonly owner_kind: 'user' | 'organization'
  readonly owner_id: string
}

/** The owner by Clerk's id alone; null for any other text. */
export function ownerOfId(id: string): Owner | null {
  if (/^org_\w+$/.test(id)) return { owner_kind: 'organization', owner_id: id }
  return /^user_\w+$/.test(id) ? { owner_kind: 'user', owner_id: id } : null
}

/** `plan`: included in the plan, resets each billing month. `purchased`: bought, never expires. */
export type OwnerAccount = 'plan' | 'purchased'

/** The other side of every transfer. Their balances are not stored; they are sums. */
export type HouseAccount =
  | 'sold'
  | 'granted'
  | 'used'
  | 'refunded'
  | 'disputed'
  | 'expired'
  | 'written_off'
  | 'adjusted'

export const transferKinds = [
  'credit_purchase',
  'withdrawal',
  'plan_grant',
  'seat_grant',
  'usage',
  'usage_moved',
  'expiry',
  'write_off',
  'refund',
  'dispute',
  'dispute_won',
  'adjustment',
] as const

export type TransferKind = (typeof transferKinds)[number]
