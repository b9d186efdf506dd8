import { useAuth } from '@clerk/clerk-react'
import type { ReactNode } from 'react'
import { useWebConfig } from '../../api/catalogue.ts'
import { SessionProvider } from '../../auth/SessionProvider.tsx'
import { UserMenu } from '../../components/UserMenu.tsx'

/** Marketing pages are documents of their own: they have their own session, and links load documents. */
export function AccountMenu(props: { placeholder: ReactNode }) {
  return (
    <SessionProvider clerk={useWebConfig().clerk} navigate={(to) => window.location.assign(to)}>
      <LoadedMenu {...props} />
    </SessionProvider>
  )
}

function LoadedMenu({ placeholder }: { placeholder: ReactNode }) {
  return useAuth().isLoaded ? <UserMenu /> : placeholder
}
