import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router-dom'
import { useApi } from '../../api/ApiProvider.tsx'
import { usageSummaryQuery } from '../../api/billing.ts'
import { AdminsOnly } from '../../components/AdminsOnly.tsx'
import { AddCreditsLink } from '../../components/account/AddCreditsLink.tsx'
import { rangeOf, UsageCard } from '../../components/credits/UsageCard.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { DocumentsCard } from './DocumentsCard.tsx'
import type { Payer } from './payer.ts'
import { TransactionsCard } from './TransactionsCard.tsx'

const views = [
  { value: 'usage', label: 'Usage' },
  { value: 'transactions', label: 'Transactions' },
  { value: 'invoices', label: 'Invoices' },
] as const

/** A member of an organization sees its usage, and none of its payments. */
export function InvoicesTab({ payer }: { payer: Payer }) {
  const [search, setSearch] = useSearchParams()
  const view = views.find(({ value }) => value === search.get('view'))?.value ?? 'invoices'
  return (
    <div className="space-y-4 sm:space-y-5">
      <Segments
        label="View"
        name="invoices-view"
        value={view}
        options={views}
        onChange={(chosen) => setSearch({ tab: 'invoices', view: chosen }, { replace: true })}
      />
      {view === 'usage' ? (
        <Usage payer={payer} />
      ) : !payer.mayManage ? (
        <AdminsOnly what="view billing settings" />
      ) : view === 'transactions' ? (
        <TransactionsCard payer={payer} />
      ) : (
        <DocumentsCard payer={payer} />
      )}
    </div>
  )
}

function Usage({ payer }: { payer: Payer }) {
  const [search, setSearch] = useSearchParams()
  const range = rangeOf(search.get('days'))
  const usage = useQuery({ ...usageSummaryQuery(useApi(), payer, range), placeholderData: keepPreviousData })
  return (
    <UsageCard
      usage={usage}
      range={range}
      emptyAction={payer.mayManage && <AddCreditsLink />}
      onRange={(days) => setSearch({ tab: 'invoices', view: 'usage', days: String(days) }, { replace: true })}
    />
  )
}
