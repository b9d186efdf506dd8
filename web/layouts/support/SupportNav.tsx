import { CircleDot, type LucideIcon, Scale, ScrollText, Search, Sheet } from 'lucide-react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { useWebConfig } from '../../api/catalogue.ts'
import { Mark } from '../../components/Logo.tsx'
import { SandboxMarker } from '../../components/SandboxMarker.tsx'
import { useKeys } from '../../components/support/useKeys.ts'
import { ThemeSwitch } from '../../components/ThemeSwitch.tsx'
import { cn } from '../../ui/cn.ts'

/** The key of each is its place in the list. */
export const sections: readonly { to: string; label: string; Icon: LucideIcon }[] = [
  { to: '/support', label: 'Work', Icon: CircleDot },
  { to: '/support/search', label: 'Search', Icon: Search },
  { to: '/support/reconciliation', label: 'Reconciliation', Icon: Scale },
  { to: '/support/statement', label: 'Statement', Icon: Sheet },
  { to: '/support/audit', label: 'Audit log', Icon: ScrollText },
]

export function SupportRail({ waiting }: { waiting: number }) {
  const { brand } = useWebConfig()
  const navigate = useNavigate()
  useKeys(Object.fromEntries(sections.map(({ to }, place) => [String(place + 1), () => void navigate(to)])))
  return (
    <aside
      aria-label="Sidebar"
      className="sticky top-0 hidden h-dvh w-56 shrink-0 flex-col border-r bg-sunken p-2.5 md:flex"
    >
      <Link
        to="/support"
        className="mb-3 flex h-8 items-center gap-2 rounded-md px-2 font-semibold text-sm tracking-tight"
      >
        <Mark className="size-5" />
        {brand.name}
        <span className="font-normal text-muted">Support</span>
      </Link>
      <nav aria-label="Support console" className="flex flex-col gap-px">
        {sections.map((section, place) => (
          <SectionLink
            key={section.to}
            {...section}
            shortcut={String(place + 1)}
            count={section.to === '/support' ? waiting : 0}
            className="h-8 px-2"
          />
        ))}
      </nav>
      <div className="mt-auto flex items-center justify-between border-t px-1 pt-2.5">
        <ThemeSwitch />
        <SandboxMarker />
      </div>
    </aside>
  )
}

/** On a narrow screen, below the search box, which leads to the search itself. */
export function SupportNav({ waiting }: { waiting: number }) {
  return (
    <nav
      aria-label="Support console"
      className="flex gap-1 overflow-x-auto px-3 pb-1.5 [scrollbar-width:none] md:hidden"
    >
      {sections
        .filter(({ to }) => to !== '/support/search')
        .map((section) => (
          <SectionLink
            key={section.to}
            {...section}
            count={section.to === '/support' ? waiting : 0}
            className="h-8 shrink-0 px-2.5 [&>svg]:hidden"
          />
        ))}
    </nav>
  )
}

interface SectionLinkProps {
  to: string
  label: string
  Icon: LucideIcon
  count: number
  shortcut?: string
  className: string
}

function SectionLink({ to, label, Icon, count, shortcut, className }: SectionLinkProps) {
  const active = to === useLocation().pathname
  return (
    <Link
      to={to}
      aria-current={active ? 'page' : undefined}
      aria-keyshortcuts={shortcut}
      className={cn(
        'group flex items-center gap-2 rounded-md font-medium text-sm transition-colors',
        active
          ? 'bg-surface text-ink shadow-low ring-1 ring-line'
          : 'text-muted hover:bg-hover hover:text-ink',
        className,
      )}
    >
      <Icon aria-hidden="true" className={cn('size-4 shrink-0', active && 'text-accent-text')} />
      {label}
      {count > 0 ? (
        <span className="ml-auto rounded-full bg-caution-soft px-1.5 font-semibold text-2xs text-caution tabular-nums leading-4">
          {count}
          <span className="sr-only"> waiting for approval</span>
        </span>
      ) : (
        shortcut && (
          <span
            aria-hidden="true"
            className="ml-auto font-sans text-2xs text-faint opacity-0 group-hover:opacity-100"
          >
            {shortcut}
          </span>
        )
      )}
    </Link>
  )
}
