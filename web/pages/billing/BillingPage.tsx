import { useOrganization } from '@clerk/clerk-react'
import { useQuery } from '@tanstack/react-query'
import { Building2, ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery } from '../../api/account.ts'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'
import { formatCredits } from '../../components/format.ts'
import { OrganizationBilling } from '../../components/organization-billing/OrganizationBilling.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { CreditsTab } from './CreditsTab.tsx'
import { DocumentsCard } from './DocumentsCard.tsx'
import { ExplanationCard, useExplainedDay, useExplanation } from './ExplanationCard.tsx'
import { HistoryCard, useHistory, useHistoryFilter } from './HistoryCard.tsx'
import { OverviewTab } from './OverviewTab.tsx'
import type { BillingTab, Payer } from './payer.ts'

const tabs: readonly BillingTab[] = ['overview', 'credits', 'invoices', 'organization']

export function BillingPage() {
  usePageTitle('Billing')
  const { user } = useSignedInUser()
  const { isLoaded, organization, membership } = useOrganization()
  if (!user) return null
  if (!isLoaded) return <BillingSkeleton />
  const payer: Payer = {
    payer: organization?.id ?? 'personal',
    userId: user.id,
    organizationName: organization?.name ?? null,
    mayManage: !organization || membership?.role === 'org:admin',
  }
  return <Billing key={payer.payer} payer={payer} />
}

function Billing({ payer }: { payer: Payer }) {
  const [search, setSearch] = useSearchParams()
  const isAdmin = payer.organizationName !== null && payer.mayManage
  const asked = tabs.find((name) => name === search.get('tab'))
  const open = (tab: BillingTab) => setSearch({ tab })
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 className="text-2xl">Billing & Payments</h1>
          <p className="mt-1 text-muted text-sm">
            Manage your credits, view transaction history, and handle billing settings.
          </p>
        </div>
        <Balance payer={payer} onTopUp={() => open('credits')} />
      </div>
      <div className="mt-6">
        <Tabs
          label="Billing"
          value={asked ?? (isAdmin ? 'organization' : 'overview')}
          onChange={open}
          tabs={[
            {
              value: 'overview',
              label: 'Overview',
              content: <OverviewTab payer={payer} onOpen={open} />,
            },
            { value: 'credits', label: 'Credits', content: <CreditsTab payer={payer} /> },
            {
              value: 'invoices',
              label: 'Invoices',
              content: payer.mayManage ? <Invoices payer={payer} /> : <AdminsOnly />,
            },
            {
              value: 'organization',
              label: 'Organization',
              disabled: isAdmin ? undefined : payer.organizationName === null ? '(No Org)' : '(Admin Only)',
              content: isAdmin ? (
                <OrganizationBilling organizationId={payer.payer} />
              ) : payer.organizationName === null ? (
                <Notice
                  icon={<Building2 aria-hidden="true" className="size-5" />}
                  title="No Organization Selected"
                  text="Create or join an organization to manage billing settings."
                />
              ) : (
                <AdminsOnly />
              ),
            },
          ]}
        />
      </div>
    </div>
  )
}

function Balance({ payer, onTopUp }: { payer: Payer; onTopUp: () => void }) {
  const summary = useQuery(accountSummaryQuery(useApi(), payer))
  return (
    <div className="flex h-9 items-center gap-3">
      <p className="min-w-24 text-muted text-sm tabular-nums lg:text-right">
        {summary.data ? (
          <>
            <strong className="font-semibold text-ink">{formatCredits(summary.data.balance.total)}</strong>{' '}
            credits
          </>
        ) : (
          summary.isPending && <Skeleton className="h-5" />
        )}
      </p>
      {payer.mayManage && (
        <Button variant="secondary" size="small" onClick={onTopUp}>
          Top up
        </Button>
      )}
    </div>
  )
}

const invoiceViews = [
  { value: 'transactions', label: 'Transactions' },
  { value: 'balance', label: 'Explain my balance' },
] as const
type InvoiceView = (typeof invoiceViews)[number]['value']

function Invoices({ payer }: { payer: Payer }) {
  const [search, setSearch] = useSearchParams()
  const view: InvoiceView = search.get('view') === 'balance' ? 'balance' : 'transactions'
  return (
    <div className="space-y-4 sm:space-y-5">
      <Segments
        label="View"
        name="invoices-view"
        value={view}
        options={invoiceViews}
        onChange={(chosen) =>
          setSearch({ tab: 'invoices', ...(chosen === 'balance' && { view: chosen }) }, { replace: true })
        }
      />
      {view === 'balance' ? <ExplainedBalance payer={payer} /> : <Transactions payer={payer} />}
    </div>
  )
}

function Transactions({ payer }: { payer: Payer }) {
  const [filter] = useHistoryFilter()
  const { isPending } = useHistory(payer, filter)
  return (
    <>
      <HistoryCard payer={payer} />
      <Documents payer={payer} hidden={isPending} />
    </>
  )
}

function ExplainedBalance({ payer }: { payer: Payer }) {
  const [date] = useExplainedDay()
  const { isPending } = useExplanation(payer, date)
  return (
    <>
      <ExplanationCard payer={payer} />
      <Documents payer={payer} hidden={isPending} />
    </>
  )
}

/** Loads at once, but is hidden until the list above has its final length: the layout would shift. */
function Documents({ payer, hidden }: { payer: Payer; hidden: boolean }) {
  return (
    <div className={hidden ? 'hidden' : undefined}>
      <DocumentsCard payer={payer} />
    </div>
  )
}

function AdminsOnly() {
  return (
    <Notice
      icon={<ShieldAlert aria-hidden="true" className="size-5" />}
      title="Admin Access Required"
      text="Only organization administrators can view billing settings."
    />
  )
}

function Notice({ icon, title, text }: { icon: ReactNode; title: string; text: string }) {
  return (
    <Card className="flex flex-col items-center px-6 py-14 text-center">
      <span className="grid size-11 place-items-center rounded-full bg-caution-soft text-caution">
        {icon}
      </span>
      <h2 className="mt-4 font-semibold">{title}</h2>
      <p className="mt-1 max-w-sm text-muted text-sm">{text}</p>
    </Card>
  )
}

function BillingSkeleton() {
  return (
    <div role="status" className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">
      <span className="sr-only">Loading billing</span>
      <Skeleton className="h-8 w-56" />
      <Skeleton className="mt-2 h-5 w-full max-w-md" />
      <Skeleton className="mt-6 h-10 w-full" />
      <Skeleton className="mt-6 h-60 rounded-card" />
    </div>
  )
}
