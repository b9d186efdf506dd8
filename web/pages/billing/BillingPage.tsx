import { useQuery } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery } from '../../api/account.ts'
import { AdminsOnly } from '../../components/AdminsOnly.tsx'
import { creditsShown, creditsUnit } from '../../components/account/balance.tsx'
import { Notices } from '../../components/account/Notices.tsx'
import { ScheduledChange } from '../../components/account/ScheduledChange.tsx'
import { type Payer, usePayer } from '../../components/account/usePayer.ts'
import { OrganizationBilling } from '../../components/organization-billing/OrganizationBilling.tsx'
import { usePageTitle } from '../../components/page.ts'
import { RouteButton } from '../../components/RouteButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { CreditsTab } from './CreditsTab.tsx'
import { InvoicesTab } from './InvoicesTab.tsx'
import { OverviewTab } from './OverviewTab.tsx'
import { type BillingTab, type InvoicesView, openTab, organizationTabNote } from './tabs.ts'
import { UsageTab } from './UsageTab.tsx'

export function BillingPage() {
  usePageTitle('Billing')
  const payer = usePayer()
  return payer ? <Billing key={payer.payer} payer={payer} /> : <BillingSkeleton />
}

function Billing({ payer }: { payer: Payer }) {
  const [search, setSearch] = useSearchParams()
  // The page appears with its notices, so that nothing moves when they come in.
  const summary = useQuery(accountSummaryQuery(useApi(), payer))
  if (summary.isPending) return <BillingSkeleton />
  const open = (tab: BillingTab, view?: InvoicesView) => setSearch({ tab, ...(view && { view }) })
  return (
    <BillingLayout>
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 className="text-2xl">Billing & Payments</h1>
          <p className="mt-1 text-muted text-sm">
            Manage your credits, view transaction history, and handle billing settings.
          </p>
        </div>
        <Balance payer={payer} balance={summary.data?.balance} onTopUp={() => open('credits')} />
      </div>
      <div className="mt-6">
        <Notices payer={payer} />
        <ScheduledChange payer={payer} />
        <Tabs
          label="Billing"
          value={openTab(search, payer)}
          onChange={(tab) => open(tab)}
          tabs={[
            { value: 'overview', label: 'Overview', content: <OverviewTab payer={payer} onOpen={open} /> },
            { value: 'credits', label: 'Credits', content: <CreditsTab payer={payer} /> },
            {
              value: 'usage',
              label: 'Usage',
              content: <UsageTab payer={payer} now={summary.data?.as_of ?? new Date().toISOString()} />,
            },
            { value: 'invoices', label: 'Invoices', content: <InvoicesTab payer={payer} /> },
            {
              value: 'organization',
              label: 'Organization',
              disabled: organizationTabNote(payer),
              content: <OrganizationTab payer={payer} />,
            },
          ]}
        />
      </div>
    </BillingLayout>
  )
}

function BillingLayout({ children }: { children: ReactNode }) {
  return <div className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">{children}</div>
}

interface BalanceProps {
  payer: Payer
  /** Undefined where it could not be loaded. */
  balance: AccountSummary['balance'] | undefined
  onTopUp: () => void
}

function Balance({ payer, balance, onTopUp }: BalanceProps) {
  return (
    <div className="flex h-9 items-center gap-3">
      {balance && (
        <p className="min-w-24 text-muted text-sm tabular-nums lg:text-right">
          <strong className="font-semibold text-ink">{creditsShown(balance)}</strong> {creditsUnit(balance)}
        </p>
      )}
      {payer.mayManage && (
        <Button variant="secondary" size="small" onClick={onTopUp}>
          Top up
        </Button>
      )}
    </div>
  )
}

function BillingSkeleton() {
  return (
    <BillingLayout>
      <div role="status">
        <span className="sr-only">Loading billing</span>
        <Skeleton className="h-8 w-56" />
        <Skeleton className="mt-2 h-5 w-full max-w-md" />
        <Skeleton className="mt-6 h-10 w-full" />
        <Skeleton className="mt-6 h-60 rounded-card" />
      </div>
    </BillingLayout>
  )
}

function OrganizationTab({ payer }: { payer: Payer }) {
  if (payer.organizationName === null) return <NoOrganization />
  if (!payer.mayManage) return <AdminsOnly what="view billing settings" />
  return <OrganizationBilling payer={payer} />
}

function NoOrganization() {
  return (
    <Card>
      <EmptyState
        icon={Building2}
        title="No Organization Selected"
        titleAs="h2"
        className="py-14"
        action={
          <RouteButton to="/organizations" variant="secondary" size="small">
            Organizations
          </RouteButton>
        }
      >
        Create or join an organization to manage billing settings.
      </EmptyState>
    </Card>
  )
}
