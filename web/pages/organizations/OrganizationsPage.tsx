import { OrganizationProfile } from '@clerk/clerk-react'
import { Building2 } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import type { PayerView } from '../../api/account.ts'
import { AdminsOnly } from '../../components/AdminsOnly.tsx'
import { Notices } from '../../components/account/Notices.tsx'
import { ConfirmedChange, ScheduledChange } from '../../components/account/ScheduledChange.tsx'
import { usePayer } from '../../components/account/usePayer.ts'
import { OrganizationBilling } from '../../components/organization-billing/OrganizationBilling.tsx'
import { usePageTitle } from '../../components/page.ts'
import { RouteButton } from '../../components/RouteButton.tsx'
import { OwnSeat } from '../../components/Seats.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { SeatsTab } from './SeatsTab.tsx'

export function OrganizationsPage() {
  const payer = usePayer()
  const title = payer?.organizationName ?? 'Organizations'
  usePageTitle(title)
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">
      <h1 className="text-2xl [overflow-wrap:anywhere]">{title}</h1>
      {!payer ? (
        <OrganizationSkeleton />
      ) : payer.organizationName !== null ? (
        <Organization key={payer.payer} payer={payer} isAdmin={payer.mayManage} />
      ) : (
        <NoOrganization />
      )}
    </div>
  )
}

const tabs = ['settings', 'billing', 'seats'] as const

function Organization({ payer, isAdmin }: { payer: PayerView; isAdmin: boolean }) {
  const [search, setSearch] = useSearchParams()
  const adminOnly = isAdmin ? undefined : 'Admin Only'
  const tab = tabs.find((name) => name === search.get('tab')) ?? 'settings'
  return (
    <>
      <p className="mt-1 min-h-5 text-muted text-sm">
        {isAdmin ? 'Members, billing and seats of your organization.' : <OwnSeat payer={payer} />}
      </p>
      <div className="mt-6">
        {isAdmin && <ConfirmedChange payer={payer} />}
        <Notices payer={payer} />
        {isAdmin && <ScheduledChange payer={payer} />}
        <Tabs
          label="Organization"
          value={tab}
          onChange={(name) => setSearch(name === 'settings' ? {} : { tab: name }, { replace: true })}
          tabs={[
            { value: 'settings', label: 'Organization Settings', content: <Settings /> },
            {
              value: 'billing',
              label: 'Billing',
              disabled: adminOnly,
              content: isAdmin ? (
                <OrganizationBilling payer={payer} />
              ) : (
                <AdminsOnly what="view and manage billing settings" />
              ),
            },
            {
              value: 'seats',
              label: 'Seat Management',
              disabled: adminOnly,
              content: isAdmin ? <SeatsTab payer={payer} /> : <AdminsOnly what="manage seats" />,
            },
          ]}
        />
      </div>
    </>
  )
}

function Settings() {
  return (
    <OrganizationProfile
      routing="hash"
      fallback={<Skeleton className="h-80 rounded-card" />}
      appearance={{
        elements: {
          rootBox: { width: '100%' },
          // Sized by its content, unlike in a dialog.
          cardBox: { width: '100%', height: 'auto', boxShadow: 'var(--tide-shadow-1)' },
        },
      }}
    />
  )
}

const gettingStarted = [
  'Choose or create an organization with the switcher in the sidebar',
  'Join one by the link in an invitation email',
  'Switch between your personal account and organizations at any time',
  'Manage its members, settings and billing here',
]

function NoOrganization() {
  return (
    <Card className="mt-7">
      <EmptyState
        icon={Building2}
        title="No organization selected"
        titleAs="h2"
        className="py-12"
        action={<RouteButton to="/teams/start">Start with Teams</RouteButton>}
      >
        An organization has one bill, a pool of credits and a seat for each member.
      </EmptyState>
      <ul className="grid list-disc gap-x-8 gap-y-2 border-t px-10 py-5 text-muted text-sm marker:text-faint sm:grid-cols-2">
        {gettingStarted.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
    </Card>
  )
}

function OrganizationSkeleton() {
  return (
    <div role="status" className="mt-7 space-y-5">
      <span className="sr-only">Loading your organization</span>
      <Skeleton className="h-10 w-full" />
      <Skeleton className="h-60 rounded-card" />
    </div>
  )
}
