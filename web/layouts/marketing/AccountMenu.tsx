import { useAuth } from '@clerk/clerk-react'
import type { ReactNode } from 'react'
import { useWebConfig } from '../../api/catalogue.ts'
import { SessionProvider } from '../../auth/SessionProvider.tsx'
import { UserMenu } from '../../components/UserMenu.tsx'

interface AccountMenuProps {
  placeholder: ReactNode
}

/** Marketing pages are documents of their own: they have their own session, and links load documents. */
export function AccountMenu(props: AccountMenuProps) {
  return (
    <SessionProvider clerk={useWebConfig().clerk} navigate={(to) => window.location.assign(to)}>
      <LoadedMenu {...props} />
    </SessionProvider>
  )
}

function LoadedMenu({ placeholder }: AccountMenuProps) {
  return useAuth().isLoaded ? <UserMenu /> : placeholder
}
