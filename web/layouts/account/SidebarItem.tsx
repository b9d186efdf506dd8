import type { LucideIcon } from 'lucide-react'
import { Link, useLocation } from 'react-router-dom'
import { cn } from '../../ui/cn.ts'
import { Tooltip } from '../../ui/Tooltip.tsx'

interface SidebarItemProps {
  /** A path of ours, or a whole address. */
  to: string
  label: string
  Icon: LucideIcon
  expanded: boolean
  onNavigate?: (() => void) | undefined
}

export function SidebarItem({ to, label, Icon, expanded, onNavigate }: SidebarItemProps) {
  const { pathname, hash } = useLocation()
  const active = to === pathname + hash
  return (
    <Tooltip text={label} side="right" disabled={expanded}>
      <Link
        to={to}
        onClick={onNavigate}
        aria-label={expanded ? undefined : label}
        aria-current={active ? 'page' : undefined}
        className={cn(
          'flex h-9 items-center gap-2.5 rounded-control font-medium text-muted text-sm transition-colors hover:bg-hover hover:text-ink',
          expanded ? 'px-2.5' : 'justify-center',
          active && 'bg-surface text-ink shadow-low ring-1 ring-line hover:bg-surface',
        )}
      >
        <Icon aria-hidden="true" className={cn('size-4 shrink-0', active && 'text-accent-text')} />
        {expanded && label}
      </Link>
    </Tooltip>
  )
}
