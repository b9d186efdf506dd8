/** Credits are a user's or an organization's. The owner's id says which: Clerk's `user_…` or `org_…`. */
export type OwnerKind = 'user' | 'organization'

export function kindOf(owner_id: string): OwnerKind {
  return owner_id.startsWith('org_') ? 'organization' : 'user'
}

export function isOwnerId(text: string): boolean {
  return /^(user|org)_\w+$/.test(text)
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
