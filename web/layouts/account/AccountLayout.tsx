import { Outlet } from 'react-router-dom'
import { RequireUser } from '../../auth/RequireUser.tsx'
import { cn } from '../../ui/cn.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { Main } from '../Main.tsx'
import { AccountHeader } from './AccountHeader.tsx'
import { AccountSkeleton } from './AccountSkeleton.tsx'
import { Sidebar } from './Sidebar.tsx'
import { useHashTarget } from './useHashTarget.ts'
import { useSidebar } from './useSidebar.ts'

/** The frame of every page for signed-in users. */
export function AccountLayout() {
  return (
    <RequireUser loading={<AccountSkeleton />}>{(user) => <AccountFrame userId={user.id} />}</RequireUser>
  )
}

function AccountFrame({ userId }: { userId: string }) {
  const sidebar = useSidebar()
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
      <Sheet open={sidebar.sheetOpen} onOpenChange={sidebar.setSheetOpen} title="Navigation" shape="side">
        <Sidebar expanded onNavigate={() => sidebar.setSheetOpen(false)} />
      </Sheet>
      <div className="flex min-w-0 flex-1 flex-col">
        <AccountHeader expanded={sidebar.expanded} onToggle={sidebar.toggle} />
        {/* Another user is another page: nothing typed or shown for the one before may stay. */}
        <Main key={userId} className="flex-1">
          <Outlet />
        </Main>
      </div>
    </div>
  )
}
