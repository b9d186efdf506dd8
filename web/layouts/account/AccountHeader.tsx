import { ChevronRight, PanelLeft } from 'lucide-react'
import { useMatches } from 'react-router-dom'
import { SandboxMarker } from '../../components/SandboxMarker.tsx'
import { UserMenu } from '../../components/UserMenu.tsx'
import { Button } from '../../ui/Button.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { NotificationBell } from './NotificationBell.tsx'

export function AccountHeader({ expanded, onToggle }: { expanded: boolean; onToggle: () => void }) {
  const page = useMatches().findLast(({ handle }) => isCrumb(handle))?.handle as Crumb | undefined
  return (
    <header className="sticky top-0 z-20 flex h-14 shrink-0 items-center justify-between gap-4 border-b bg-canvas/90 px-3 backdrop-blur-md sm:px-5">
      <div className="flex min-w-0 items-center gap-2">
        <Tooltip text={`${expanded ? 'Collapse' : 'Expand'} sidebar (Ctrl/Cmd+B)`}>
          <Button
            variant="quiet"
            size="icon"
            aria-label="Toggle sidebar"
            aria-keyshortcuts="Control+B Meta+B"
            onClick={onToggle}
          >
            <PanelLeft aria-hidden="true" />
          </Button>
        </Tooltip>
        <nav aria-label="Breadcrumb" className="min-w-0">
          <ol className="flex items-center gap-1.5 text-sm">
            <li className="text-muted max-[420px]:sr-only">Account</li>
            <li aria-hidden="true" className="max-[420px]:hidden">
              <ChevronRight className="size-3.5 text-faint" />
            </li>
            <li aria-current="page" className="truncate font-medium">
              {page?.crumb}
            </li>
          </ol>
        </nav>
      </div>
      <div className="flex shrink-0 items-center gap-2 sm:gap-3">
        <span className="md:hidden">
          <SandboxMarker />
        </span>
        <NotificationBell />
        <UserMenu />
      </div>
    </header>
  )
}

interface Crumb {
  crumb: string
}

function isCrumb(handle: unknown): handle is Crumb {
  return typeof handle === 'object' && handle !== null && 'crumb' in handle
}
