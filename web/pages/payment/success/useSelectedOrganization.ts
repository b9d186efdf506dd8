import { useClerk } from '@clerk/clerk-react'
import { useEffect } from 'react'

/**
 * Selects the organization of a Teams plan that has just been bought, so that the dashboard is its. When the
 * sign-in service does not answer, the account switcher does the same.
 */
export function useSelectedOrganization(organizationId: string | undefined): void {
  const { setActive } = useClerk()
  useEffect(() => {
    if (organizationId) setActive({ organization: organizationId }).catch(() => undefined)
  }, [organizationId, setActive])
}
