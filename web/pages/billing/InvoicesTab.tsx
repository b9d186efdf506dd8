import { useInfiniteQuery } from '@tanstack/react-query'
import { ReceiptText } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import { useApi } from '../../api/ApiProvider.tsx'
import { billingDocumentsQuery } from '../../api/billing.ts'
import { AdminsOnly } from '../../components/AdminsOnly.tsx'
import { PortalButton } from '../../components/account/PortalButton.tsx'
import type { Payer } from '../../components/account/usePayer.ts'
import { DocumentList } from '../../components/credits/DocumentList.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { ListSkeleton } from '../../components/ListSkeleton.tsx'
import { AddCreditsLink } from '../../components/RouteButton.tsx'
import { ShowMore } from '../../components/ShowMore.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { TransactionsCard } from './TransactionsCard.tsx'

function DocumentsCard({ payer }: { payer: Payer }) {
  return (
    <Card aria-labelledby="documents-title">
      <CardHeader
        id="documents-title"
        title="Invoices and receipts"
        description="Your billing address and tax ID are printed on new invoices"
        action={<PortalButton payer={payer} label="Billing details" />}
      />
      <div className="pt-4">
        <Documents payer={payer} />
      </div>
    </Card>
  )
}

function Documents({ payer }: { payer: Payer }) {
  const documents = useInfiniteQuery(billingDocumentsQuery(useApi(), payer))
  if (documents.isPending) return <ListSkeleton label="Loading your invoices" />
  if (documents.isLoadingError) {
    return (
      <FailurePanel title="Not available right now" query={documents} defaultText="Failed to load invoices" />
    )
  }
  const items = documents.data.pages.flatMap((page) => page.items)
  if (items.length === 0 && !documents.hasNextPage) return <NoDocuments />
  return (
    <>
      <DocumentList items={items} />
      <ShowMore query={documents} of="invoices" />
    </>
  )
}

function NoDocuments() {
  return (
    <EmptyState
      icon={ReceiptText}
      title="No invoices yet"
      className="border-t py-12"
      action={<AddCreditsLink />}
    >
      After a payment its invoice or receipt is here, to open and to download.
    </EmptyState>
  )
}

const views = [
  { value: 'transactions', label: 'Transactions' },
  { value: 'invoices', label: 'Invoices' },
] as const

/** Of an organization for its admins. */
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
      {!payer.mayManage ? (
        <AdminsOnly what="view billing settings" />
      ) : view === 'transactions' ? (
        <TransactionsCard payer={payer} />
      ) : (
        <DocumentsCard payer={payer} />
      )}
    </div>
  )
}
