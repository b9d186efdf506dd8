import { Bell } from 'lucide-react'
import { useId, useRef } from 'react'
import { NoticeActions } from '../../components/account/NoticeActions.tsx'
import { useNotices } from '../../components/account/useNotices.ts'
import { type Payer, usePayer } from '../../components/account/usePayer.ts'
import { buttonStyle } from '../../ui/buttonStyle.ts'
import { cn } from '../../ui/cn.ts'

/** What needs attention in the chosen account, on every page: the same notices that the dashboard shows. */
export function NotificationBell() {
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
