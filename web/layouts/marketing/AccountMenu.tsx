import { useWebConfig } from '../../api/catalogue.ts'
import { SessionProvider } from '../../auth/SessionProvider.tsx'
import { UserMenu } from '../../components/UserMenu.tsx'

/** A document of its own has a session of its own; whatever leads elsewhere from it loads another document. */
export function AccountMenu() {
  return (
    <SessionProvider clerk={useWebConfig().clerk} navigate={(to) => window.location.assign(to)}>
      <UserMenu />
    </SessionProvider>
  )
}
