import { BookOpen, History, LayoutDashboard, LifeBuoy, Plus } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useWebConfig } from '../../api/catalogue.ts'
import { Mark } from '../../components/Mark.tsx'
import { SandboxMarker } from '../../components/SandboxMarker.tsx'
import { ThemeSwitch } from '../../components/ThemeSwitch.tsx'
import { cn } from '../../ui/cn.ts'
import { AccountSwitcher } from './AccountSwitcher.tsx'
import { SidebarItem } from './SidebarItem.tsx'

interface SidebarProps {
  expanded: boolean
  onNavigate?: () => void
}

export function Sidebar({ expanded, onNavigate }: SidebarProps) {
  const { brand } = useWebConfig()
  return (
    <div className={cn('flex h-full flex-col gap-5 py-3.5', expanded ? 'px-3' : 'px-1.5')}>
      <Link
        to="/"
        aria-label={`${brand.name} home`}
        onClick={onNavigate}
        className={cn(
          'flex h-7 items-center gap-2.5 rounded-md font-semibold tracking-tight',
          expanded ? 'px-1.5' : 'justify-center',
        )}
      >
        <Mark className="size-6 shrink-0" />
        {expanded && brand.name}
      </Link>
      <AccountSwitcher expanded={expanded} />
      <nav aria-label="Account" className="flex flex-col gap-0.5">
        <SidebarItem to="/dashboard" label="Dashboard" Icon={LayoutDashboard} {...{ expanded, onNavigate }} />
        <SidebarItem
          to="/dashboard#add-credits"
          label="Add credits"
          Icon={Plus}
          {...{ expanded, onNavigate }}
        />
        <SidebarItem
          to="/dashboard#activity"
          label="Recent activity"
          Icon={History}
          {...{ expanded, onNavigate }}
        />
      </nav>
      <nav aria-label="Support" className="mt-auto flex flex-col gap-0.5">
        <SidebarItem to={brand.docs_url} label="Docs" Icon={BookOpen} {...{ expanded, onNavigate }} />
        <SidebarItem
          to={`mailto:${brand.support_email}`}
          label="Contact Support"
          Icon={LifeBuoy}
          {...{ expanded, onNavigate }}
        />
      </nav>
      {expanded && (
        <div className="flex items-center justify-between border-t px-1.5 pt-3.5">
          <ThemeSwitch />
          <SandboxMarker />
        </div>
      )}
    </div>
  )
}
