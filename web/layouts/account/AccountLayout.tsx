import { UNSAFE_PortalProvider, useClerk, useOrganization } from '@clerk/clerk-react'
import { useEffect, useRef } from 'react'
import { Outlet, useSearchParams } from 'react-router-dom'
import { RequireUser } from '../../auth/RequireUser.tsx'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'
import { ListSkeleton } from '../../components/ListSkeleton.tsx'
import { useHashTarget } from '../../components/useHashTarget.ts'
import { cn } from '../../ui/cn.ts'
import { useLater } from '../../ui/useLater.ts'
import { Main } from '../Main.tsx'
import { AccountHeader } from './AccountHeader.tsx'
import { Sidebar } from './Sidebar.tsx'
import { type SidebarState, useSidebar } from './useSidebar.ts'

const loadSheet = async () => (await import('../../ui/SheetDialog.tsx')).SheetDialog

/** The frame stands before it is known who the user is, and each page says that it is loading. */
export function AccountLayout() {
  return <RequireUser loading={<AccountFrame />}>{(user) => <AccountFrame userId={user.id} />}</RequireUser>
}

function AccountFrame({ userId }: { userId?: string }) {
  const sidebar = useSidebar()
  const isSelecting = useLinkedPayer()
  useHashTarget()
  return (
    <div className="flex min-h-dvh">
      <aside
        aria-label="Sidebar"
        className={cn(
          'sticky top-0 hidden h-dvh shrink-0 border-r bg-sunken transition-[width] duration-200 md:block',
          sidebar.expanded ? 'w-64' : 'w-12',
        )}
      >
        <Sidebar expanded={sidebar.expanded} />
      </aside>
      <NavigationSheet sidebar={sidebar} />
      <div className="flex min-w-0 flex-1 flex-col">
        <AccountHeader expanded={sidebar.expanded} onToggle={sidebar.toggle} />
        {/* Keyed by user, so that nothing typed or shown for one user stays for the next. */}
        <Main key={userId} className="flex-1">
          {isSelecting ? <ListSkeleton label="Loading your account" /> : <Outlet />}
        </Main>
      </div>
    </div>
  )
}

/** The sidebar of a phone. A link and another account close it. */
function NavigationSheet({ sidebar: { sheetOpen, setSheetOpen } }: { sidebar: SidebarState }) {
  const popovers = useRef<HTMLDivElement>(null)
  const { organization } = useOrganization()
  const payer = organization?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: the account is what closes it.
  useEffect(() => setSheetOpen(false), [payer, setSheetOpen])
  const Sheet = useLater(loadSheet)
  if (!Sheet) return null
  return (
    <Sheet open={sheetOpen} onOpenChange={setSheetOpen} title="Navigation" shape="side">
      {/* Outside of a modal dialog nothing can be clicked: https://clerk.com/docs/react/reference/components/utilities/portal-provider */}
      <UNSAFE_PortalProvider getContainer={() => popovers.current}>
        <Sidebar expanded onNavigate={() => setSheetOpen(false)} />
      </UNSAFE_PortalProvider>
      <div ref={popovers} />
    </Sheet>
  )
}

/**
 * Selects the account that a link is about (`?payer=personal` or `?payer=org_…`), as the switcher does, and
 * says whether it is still at it. A link to an organization of others changes nothing.
 */
function useLinkedPayer(): boolean {
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
