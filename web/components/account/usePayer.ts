import { useOrganization } from '@clerk/clerk-react'
import type { PayerView } from '../../api/account.ts'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'

/** The account that pages show: the person's or the chosen organization's. */
export interface Payer extends PayerView {
  /** Null for the personal account. */
  organizationName: string | null
  /** Whether the user may buy for it and see its payments: for an organization, its admins. */
  mayManage: boolean
}

/** Undefined until it is known, and while the user signs out. */
export function usePayer(): Payer | undefined {
  const { user } = useSignedInUser()
  const { isLoaded, organization, membership } = useOrganization()
  if (!isLoaded || !user) return undefined
  return {
    payer: organization?.id ?? 'personal',
    userId: user.id,
    organizationName: organization?.name ?? null,
    mayManage: !organization || membership?.role === 'org:admin',
  }
}
