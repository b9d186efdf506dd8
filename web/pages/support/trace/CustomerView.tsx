import { keepPreviousData, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Waves } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { SupportOwner } from '../../../../schema/api/support.ts'
import { ApiContext, useApi } from '../../../api/ApiProvider.tsx'
import { accountSummaryQuery } from '../../../api/account.ts'
import { customerApi, customerDocumentsQuery, customerUsageQuery } from '../../../api/support.ts'
import { Notices } from '../../../components/account/Notices.tsx'
import { ScheduledChange } from '../../../components/account/ScheduledChange.tsx'
import type { Payer } from '../../../components/account/usePayer.ts'
import { DocumentList } from '../../../components/credits/DocumentList.tsx'
import { UsageCard, type UsageRange } from '../../../components/credits/UsageCard.tsx'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { VendorLinks } from '../../../components/support/VendorLinks.tsx'
import { Card, CardHeader } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ActivityCard } from '../../dashboard/ActivityCard.tsx'
import { BalanceCard } from '../../dashboard/BalanceCard.tsx'
import { PlanCard } from '../../dashboard/PlanCard.tsx'

/** The owner's dashboard, usage and invoices by the owner's own components. Nothing here acts as the owner. */
export function CustomerView({ owner: { id: owner, kind }, name }: { owner: SupportOwner; name: string }) {
  const api = useApi()
  const theirs = useMemo(() => customerApi(api, owner), [api, owner])
  const isUser = kind === 'user'
  const payer: Payer = {
    payer: isUser ? 'personal' : owner,
    userId: owner,
    isCase: true,
    organizationName: isUser ? null : name,
    mayManage: true,
  }
  const summary = useQuery(accountSummaryQuery(theirs, payer))
  const [range, setRange] = useState<UsageRange>(30)
  const usage = useQuery({ ...customerUsageQuery(api, owner, range), placeholderData: keepPreviousData })
  const documents = useInfiniteQuery(customerDocumentsQuery(api, owner))
  const items = documents.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <>
      <p className="text-muted text-xs">
        {name} sees this, with times of their own zone instead of yours. The buttons and links of the account
        do nothing here.
      </p>
      <ApiContext value={theirs}>
        {summary.data ? (
          <>
            <div inert>
              <Notices payer={payer} />
              <ScheduledChange payer={payer} />
              <div className="grid gap-4 lg:grid-cols-5">
                <BalanceCard summary={summary.data} />
                <PlanCard summary={summary.data} payer={payer} />
              </div>
            </div>
            <ActivityCard payer={payer} payments={summary.data.payments} />
          </>
        ) : (
          <Card>
            <Part query={summary} name="account" isEmpty={false} empty="">
              {null}
            </Part>
          </Card>
        )}
      </ApiContext>
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
          <ShowMore query={documents} of="invoices" />
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
