import { useSearchParams } from 'react-router-dom'
import { AdminsOnly } from '../../components/AdminsOnly.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { DocumentsCard } from './DocumentsCard.tsx'
import type { Payer } from './payer.ts'
import { TransactionsCard } from './TransactionsCard.tsx'

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
