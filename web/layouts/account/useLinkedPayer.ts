import { useClerk, useOrganization } from '@clerk/clerk-react'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'

/**
 * Selects the account that a link is about (`?payer=personal` or `?payer=org_…`), as the switcher does, and
 * says whether it is still at it. A link to an organization of others changes nothing.
 */
export function useLinkedPayer(): boolean {
  const { setActive } = useClerk()
  const { user } = useSignedInUser()
  const { isLoaded, organization } = useOrganization()
  const [search, setSearch] = useSearchParams()
  const linked = search.get('payer')
  const isSelected = linked === (organization?.id ?? 'personal')
  // Asked for another one, Clerk's script would have none selected, and the pages wait for it.
  const isOwn =
    linked === 'personal' ||
    user?.organizationMemberships.some((membership) => membership.organization.id === linked) === true
  useEffect(() => {
    if (linked === null || !isLoaded) return
    const forget = () =>
      setSearch(
        (known) => {
          known.delete('payer')
          return known
        },
        { replace: true },
      )
    if (isSelected || !isOwn) forget()
    else setActive({ organization: linked === 'personal' ? null : linked }).catch(forget)
  }, [linked, isLoaded, isSelected, isOwn, setActive, setSearch])
  return linked !== null
}
