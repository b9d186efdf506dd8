import { OrganizationSwitcher, useOrganization } from '@clerk/clerk-react'
import { useQuery } from '@tanstack/react-query'
import {
  BookOpen,
  Building2,
  ChevronDown,
  CreditCard,
  LayoutDashboard,
  LifeBuoy,
  type LucideIcon,
} from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { freePlan, personalPlan } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'
import { formatCredits, formatMoney } from '../../components/format.ts'
import { Mark } from '../../components/Logo.tsx'
import { RouteButton } from '../../components/RouteButton.tsx'
import { SandboxMarker } from '../../components/SandboxMarker.tsx'
import { ThemeSwitch } from '../../components/ThemeSwitch.tsx'
import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { docsLink } from '../marketing/resources.ts'

export function Sidebar({ expanded }: { expanded: boolean }) {
  const { brand } = useWebConfig()
  const { organization } = useOrganization()
  return (
    <div className={cn('flex h-full flex-col gap-5 py-3.5', expanded ? 'px-3' : 'px-1.5')}>
      <Link
        to="/"
        aria-label={`${brand.name} home`}
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
        <SidebarItem to="/dashboard" label="Dashboard" Icon={LayoutDashboard} expanded={expanded} />
        <SidebarItem to="/billing" label="Billing" Icon={CreditCard} expanded={expanded} />
        <SidebarItem
          to="/organizations"
          label={organization?.name ?? 'Organizations'}
          Icon={Building2}
          count={organization ? 1 : undefined}
          expanded={expanded}
        />
      </nav>
      <div className="mt-auto">{expanded && !organization && <UpgradeCard />}</div>
      <nav aria-label="Support" className="flex flex-col gap-0.5">
        <SidebarItem to={docsLink(brand)} label="Docs" Icon={BookOpen} expanded={expanded} />
        <SidebarItem
          to={`mailto:${brand.support_email}`}
          label="Contact Support"
          Icon={LifeBuoy}
          expanded={expanded}
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

/** For people without a plan: what Pro costs, and the way to pay for it. */
function UpgradeCard() {
  const { user } = useSignedInUser()
  const { data: summary } = useQuery({
    ...accountSummaryQuery(useApi(), { payer: 'personal', userId: user?.id ?? '' }),
    enabled: user !== null,
  })
  if (summary?.plan_type !== freePlan.plan_type) return null
  const currency = summary.currency.code
  const { plan_type, name, credits_per_seat, price_minor } = personalPlan
  const query = new URLSearchParams({ plan: plan_type, billing: 'monthly', currency })
  return (
    <section
      aria-labelledby="upgrade-title"
      className="rounded-card border border-accent-line bg-accent-soft p-4 text-sm"
    >
      <h2 id="upgrade-title" className="font-semibold text-sm">
        Upgrade to {name}
      </h2>
      <p className="mt-1 text-muted">
        {formatCredits(credits_per_seat)} credits every month for {formatMoney(price_minor.monthly, currency)}
        .
      </p>
      <RouteButton to={`/auth/post-signup?${query}`} size="small" className="mt-3 w-full">
        Upgrade Now
      </RouteButton>
    </section>
  )
}

interface SidebarItemProps {
  /** A path of this app, or a full address. */
  to: string
  label: string
  Icon: LucideIcon
  count?: number | undefined
  expanded: boolean
}

function SidebarItem({ to, label, Icon, count, expanded }: SidebarItemProps) {
  const active = to === useLocation().pathname
  return (
    <Tooltip text={label} side="right" disabled={expanded}>
      <Link
        to={to}
        aria-label={expanded ? undefined : label}
        aria-current={active ? 'page' : undefined}
        className={cn(
          'flex h-9 items-center gap-2.5 rounded-control font-medium text-sm transition-colors',
          expanded ? 'px-2.5' : 'justify-center',
          active
            ? 'bg-surface text-ink shadow-low ring-1 ring-line'
            : 'text-muted hover:bg-hover hover:text-ink',
        )}
      >
        <Icon aria-hidden="true" className={cn('size-4 shrink-0', active && 'text-accent-text')} />
        {expanded && <span className="truncate">{label}</span>}
        {expanded && count !== undefined && (
          <span
            aria-hidden="true"
            className="ml-auto rounded-full border bg-sunken px-1.5 font-medium text-2xs text-muted tabular-nums leading-4"
          >
            {count}
          </span>
        )}
      </Link>
    </Tooltip>
  )
}

/**
 * Switches between the personal account and the user's organizations. Every choice stays on the page. Clerk's
 * switcher, in whose place ours stands until it is asked for (web/auth/lateClerkUi.ts).
 */
function AccountSwitcher({ expanded }: { expanded: boolean }) {
  const { pathname } = useLocation()
  const { user } = useSignedInUser()
  const { isLoaded, organization } = useOrganization()
  const account = organization?.id ?? 'personal'
  // While another account is being selected Clerk's switcher is gone, and would open again with it.
  const [askedFor, setAskedFor] = useState<string>()
  const isAsked = askedFor === account
  if (!user || !isLoaded) return <Skeleton className="h-10 w-full" />
  const trigger = (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-busy={isAsked || undefined}
      onClick={() => setAskedFor(account)}
      className={cn(
        'flex h-10 w-full items-center gap-3 rounded-control font-medium text-muted text-sm hover:text-ink',
        expanded ? 'border bg-surface px-2.5 aria-busy:opacity-60' : 'justify-center',
      )}
    >
      <img
        src={(organization ?? user).imageUrl}
        alt=""
        className={cn('size-5 shrink-0', organization ? 'rounded' : 'rounded-full')}
      />
      <span className={expanded ? 'truncate' : 'sr-only'}>{organization?.name ?? 'Personal account'}</span>
      <span className="sr-only">: Open organization switcher</span>
      {expanded && <ChevronDown aria-hidden="true" className="ml-auto size-4 shrink-0" />}
    </button>
  )
  if (!isAsked) return trigger
  return (
    <div className="min-h-10">
      <OrganizationSwitcher
        defaultOpen
        fallback={trigger}
        // A new organization has no plan yet, and so no seats for the people it would invite.
        skipInvitationScreen
        afterCreateOrganizationUrl={pathname}
        afterLeaveOrganizationUrl={pathname}
        afterSelectOrganizationUrl={pathname}
        afterSelectPersonalUrl={pathname}
        appearance={{
          elements: {
            rootBox: { width: '100%' },
            organizationSwitcherTrigger: {
              width: '100%',
              justifyContent: expanded ? 'space-between' : 'center',
              padding: expanded ? '0.5rem 0.625rem' : '0.375rem',
              border: expanded ? '1px solid var(--tide-line)' : '0',
              background: expanded ? 'var(--tide-surface)' : 'transparent',
            },
            ...(!expanded && {
              organizationSwitcherTriggerIcon: { display: 'none' },
              organizationPreviewTextContainer: { display: 'none' },
              userPreviewTextContainer: { display: 'none' },
            }),
          },
        }}
      />
    </div>
  )
}
