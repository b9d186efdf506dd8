import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Waves } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { customerBalanceQuery, customerDocumentsQuery, customerUsageQuery } from '../../../api/support.ts'
import { DocumentList } from '../../../components/credits/DocumentList.tsx'
import { PendingCredits, TransactionTable } from '../../../components/credits/TransactionTable.tsx'
import { UsageCard, type UsageRange } from '../../../components/credits/UsageCard.tsx'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { formatCredits } from '../../../components/format.ts'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { VendorLinks } from '../../../components/support/VendorLinks.tsx'
import { Card, CardHeader } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'

/** The balance, the usage and the invoices that the customer reads on their billing page. */
export function CustomerView({ owner }: { owner: string }) {
  const api = useApi()
  const balance = useInfiniteQuery(customerBalanceQuery(api, owner))
  const [range, setRange] = useState<UsageRange>(30)
  const usage = useQuery({ ...customerUsageQuery(api, owner, range), placeholderData: keepPreviousData })
  const documents = useInfiniteQuery(customerDocumentsQuery(api, owner))
  const items = documents.data?.pages.flatMap((page) => page.items) ?? []
  const changes = balance.data?.pages.flatMap((page) => page.items) ?? []
  const [first, last] = [balance.data?.pages[0], balance.data?.pages.at(-1)]
  return (
    <>
      <Card aria-labelledby="customer-balance">
        <CardHeader
          id="customer-balance"
          title="Balance"
          description={
            first &&
            `${formatCredits(first.balance.total)} credits: ${formatCredits(first.balance.plan)} of the plan, ${formatCredits(first.balance.purchased)} purchased. Times here are in your time zone.`
          }
        />
        <Part
          query={balance}
          name="balance"
          isEmpty={changes.length === 0}
          empty="No credits were ever added or used"
        >
          {first && <PendingCredits {...first} />}
          {last && <TransactionTable documents={items} changes={changes} opening={last.opening.total} />}
          <ShowMore
            query={balance}
            label="Show earlier changes"
            failure="Could not load earlier changes. Please try again."
          />
        </Part>
      </Card>
      <UsageCard usage={usage} range={range} onRange={setRange} />
      <Card aria-labelledby="customer-documents">
        <CardHeader
          id="customer-documents"
          title="Invoices and receipts"
          description="The links open what the customer opens; Stripe opens the payment in its dashboard."
        />
        <Part
          query={documents}
          name="invoices"
          isEmpty={items.length === 0 && !documents.hasNextPage}
          empty="No invoices yet"
        >
          <DocumentList items={items} more={({ id, links }) => <VendorLinks of={id} links={links} />} />
          <ShowMore
            query={documents}
            label="Show more"
            failure="Could not load more invoices. Please try again."
          />
        </Part>
      </Card>
    </>
  )
}

interface PartProps {
  query: UseQueryResult
  name: string
  isEmpty: boolean
  empty: string
  children: ReactNode
}

function Part({ query, name, isEmpty, empty, children }: PartProps) {
  if (query.isPending) return <ListSkeleton label={`Loading the ${name}`} />
  if (query.isLoadingError) return <FailurePanel title={`The ${name} could not be loaded`} query={query} />
  if (isEmpty) return <EmptyState icon={Waves} title={empty} className="mt-4 border-t py-10" />
  return <div className="pt-4">{children}</div>
}
