import { useOrganization } from '@clerk/clerk-react'
import { useMemo } from 'react'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'

/** The account that pages show: the person's or the chosen organization's. */
export interface Payer {
  /** As the calls name it: `personal`, or the organization's id. */
  payer: string
  userId: string
  organization: { id: string; name: string } | null
}

/** Undefined until it is known, and while the user signs out. */
export function usePayer(): Payer | undefined {
  const { user } = useSignedInUser()
  const { isLoaded, organization } = useOrganization()
  const userId = user?.id
  const id = organization?.id
  const name = organization?.name ?? ''
  return useMemo(() => {
    if (!isLoaded || userId === undefined) return undefined
    if (id === undefined) return { payer: 'personal', userId, organization: null }
    return { payer: id, userId, organization: { id, name } }
  }, [isLoaded, userId, id, name])
}
