import { UNSAFE_PortalProvider, useClerk, useOrganization } from '@clerk/clerk-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Outlet, useSearchParams } from 'react-router-dom'
import { RequireUser } from '../../auth/RequireUser.tsx'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'
import { ListSkeleton } from '../../components/ListSkeleton.tsx'
import { useHashTarget } from '../../components/page.ts'
import { cn } from '../../ui/cn.ts'
import { useLater } from '../../ui/useLater.ts'
import { Main } from '../Main.tsx'
import { AccountHeader } from './AccountHeader.tsx'
import { Sidebar } from './Sidebar.tsx'

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
        <Sidebar expanded />
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

/** Below this width the sidebar is a sheet over the page. */
const mobileQuery = '(width < 768px)'
const cookieName = 'sidebar_state'
const cookieLifetimeS = 7 * 24 * 60 * 60

interface SidebarState {
  /** On a wide screen: false shows only icons. Remembered in a cookie. */
  expanded: boolean
  /** On a small screen: whether the sheet is open. Not remembered. */
  sheetOpen: boolean
  setSheetOpen: (open: boolean) => void
  toggle: () => void
}

function useSidebar(): SidebarState {
  const [expanded, setExpanded] = useState(() => readSidebarCookie(document.cookie))
  const [sheetOpen, setSheetOpen] = useState(false)

  const toggle = useCallback(() => {
    if (window.matchMedia(mobileQuery).matches) {
      setSheetOpen((open) => !open)
      return
    }
    const next = !readSidebarCookie(document.cookie)
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we serve.
    document.cookie = sidebarCookie(next)
    setExpanded(next)
  }, [])

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'b' ||
        !(event.ctrlKey || event.metaKey) ||
        event.shiftKey ||
        event.altKey
      )
        return
      event.preventDefault()
      toggle()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [toggle])

  return { expanded, sheetOpen, setSheetOpen, toggle }
}

export function sidebarCookie(expanded: boolean): string {
  return `${cookieName}=${expanded}; path=/; max-age=${cookieLifetimeS}; samesite=lax`
}

/** Expanded unless the cookie says otherwise. */
function readSidebarCookie(cookies: string): boolean {
  return !cookies.split('; ').includes(`${cookieName}=false`)
}
