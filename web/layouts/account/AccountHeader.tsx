import { Bell, ChevronRight, PanelLeft } from 'lucide-react'
import { useId, useRef } from 'react'
import { useMatches } from 'react-router-dom'
import { NoticeActions, useNotices } from '../../components/account/Notices.tsx'
import { type Payer, usePayer } from '../../components/account/usePayer.ts'
import { SandboxMarker } from '../../components/SandboxMarker.tsx'
import { UserMenu } from '../../components/UserMenu.tsx'
import { Button } from '../../ui/Button.tsx'
import { buttonStyle } from '../../ui/buttonStyle.ts'
import { cn } from '../../ui/cn.ts'
import { Tooltip } from '../../ui/Tooltip.tsx'

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

/** What needs attention in the chosen account, on every page: the same notices that the dashboard shows. */
function NotificationBell() {
  const payer = usePayer()
  return payer ? <LoadedBell key={payer.payer} payer={payer} /> : <div className="size-9" />
}

function LoadedBell({ payer }: { payer: Payer }) {
  const { notices, isLoaded } = useNotices(payer)
  const panelId = useId()
  const panel = useRef<HTMLDivElement>(null)
  const close = () => panel.current?.hidePopover()
  return (
    <>
      <button
        type="button"
        popoverTarget={panelId}
        aria-label={notices.length === 0 ? 'Notifications' : `Notifications: ${notices.length}`}
        className={buttonStyle({ variant: 'quiet', size: 'icon', className: 'relative' })}
      >
        <Bell aria-hidden="true" />
        {notices.length > 0 && (
          <span
            aria-hidden="true"
            className="absolute top-0.5 right-0.5 grid size-4 place-items-center rounded-full bg-accent font-semibold text-2xs text-on-accent tabular-nums"
          >
            {notices.length}
          </span>
        )}
      </button>
      {/* The browser's own popover: a click beside it and Escape close it. */}
      <div
        ref={panel}
        id={panelId}
        popover="auto"
        role="dialog"
        aria-label="Notifications"
        className="fixed inset-auto top-15 right-3 m-0 w-[min(22rem,calc(100vw-1.5rem))] rounded-card border bg-surface text-ink shadow-float sm:right-5"
      >
        {notices.length === 0 ? (
          <p className="px-5 py-8 text-center text-muted text-sm">
            {isLoaded ? 'Nothing needs your attention.' : 'Loading your notifications.'}
          </p>
        ) : (
          <ul className="max-h-[70dvh] divide-y divide-line overflow-y-auto">
            {notices.map(({ id, tone, title, text, actions }) => (
              <li key={id} className="px-5 py-4 text-sm">
                <p className="flex items-baseline gap-2 font-medium">
                  <span aria-hidden="true" className={cn('size-2 shrink-0 rounded-full', dots[tone])} />
                  {title}
                </p>
                <p className="mt-1 text-muted">{text}</p>
                <NoticeActions actions={actions} payer={payer} onFollow={close} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  )
}

const dots = { critical: 'bg-critical', caution: 'bg-caution', info: 'bg-accent' }
