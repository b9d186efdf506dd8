import { UNSAFE_PortalProvider, useOrganization } from '@clerk/clerk-react'
import { useEffect, useRef } from 'react'
import { Outlet } from 'react-router-dom'
import { RequireUser } from '../../auth/RequireUser.tsx'
import { useHashTarget } from '../../components/useHashTarget.ts'
import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useLater } from '../../ui/useLater.ts'
import { Main } from '../Main.tsx'
import { AccountHeader } from './AccountHeader.tsx'
import { Sidebar } from './Sidebar.tsx'
import { useLinkedPayer } from './useLinkedPayer.ts'
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
          {isSelecting ? <PageSkeleton /> : <Outlet />}
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

function PageSkeleton() {
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">
      <h1 className="sr-only">Loading your account</h1>
      <Skeleton className="h-8 w-40" />
      <Skeleton className="mt-2 h-5 w-32" />
      <div className="mt-7 grid gap-4 sm:gap-5 lg:grid-cols-5">
        <Skeleton className="h-61 rounded-card lg:col-span-3" />
        <Skeleton className="h-61 rounded-card lg:col-span-2" />
        <Skeleton className="h-49 rounded-card lg:col-span-3" />
        <Skeleton className="h-90 rounded-card lg:col-span-2" />
      </div>
    </div>
  )
}
