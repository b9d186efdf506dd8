import type { CreditTransaction } from '../../../schema/api/credits.ts'
import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { formatCreditChange, formatCredits, formatDay, formatTime } from '../format.ts'

interface HistoryTableProps {
  items: readonly CreditTransaction[]
  /** Without the references, which are for a comparison with receipts. */
  brief?: boolean
}

/**
 * Where there is little room, on a phone or beside the sidebar, the date and the balance stand below the
 * description.
 */
export function HistoryTable({ items, brief = false }: HistoryTableProps) {
  return (
    <div className="@container">
      <table className="w-full text-sm">
        <thead className="border-y bg-sunken">
          <tr className="text-left text-faint text-xs [&>th]:py-2 [&>th]:font-medium">
            <th scope="col" className="hidden pl-6 @2xl:table-cell">
              Date
            </th>
            <th scope="col" className="px-5 sm:px-6 @2xl:px-4">
              Description
            </th>
            <th scope="col" className="pr-5 text-right sm:pr-6 @2xl:px-4">
              Credits
            </th>
            <th scope="col" className="hidden pr-6 text-right @2xl:table-cell">
              Balance
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line tabular-nums">
          {items.map((item) => (
            <Row key={item.id} item={item} brief={brief} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ item, brief }: { item: CreditTransaction; brief: boolean }) {
  const when = (
    <time dateTime={item.created_at}>
      {formatDay(item.created_at)} <span className="text-faint">{formatTime(item.created_at)}</span>
    </time>
  )
  const balance = `${formatCredits(item.balance_after)} ${item.account}`
  return (
    <tr className="align-top transition-colors hover:bg-sunken">
      <td className="hidden whitespace-nowrap py-3 pl-6 text-muted @2xl:table-cell">{when}</td>
      <td className="px-5 py-3 [overflow-wrap:anywhere] sm:px-6 @2xl:px-4">
        <p className="font-medium">{item.description}</p>
        <p className="mt-0.5 text-muted text-xs @2xl:hidden">{when}</p>
        {item.reference_id && !brief && (
          <p
            className="mt-0.5 line-clamp-1 break-all font-mono text-faint text-xs @2xl:line-clamp-none"
            title={item.reference_id}
          >
            <span className="sr-only">Reference </span>
            {item.reference_id}
          </p>
        )}
      </td>
      <td
        className={cn(
          'whitespace-nowrap py-3 pr-5 text-right font-medium sm:pr-6 @2xl:px-4',
          item.amount > 0 ? 'text-positive' : 'text-critical',
        )}
      >
        {formatCreditChange(item.amount)}
        <span className="mt-0.5 block font-normal text-faint text-xs @2xl:hidden">{balance}</span>
      </td>
      <td className="hidden whitespace-nowrap py-3 pr-6 text-right text-muted @2xl:table-cell">
        {formatCredits(item.balance_after)} <span className="text-faint">{item.account}</span>
      </td>
    </tr>
  )
}

const rows = ['one', 'two', 'three', 'four', 'five']

export function HistorySkeleton() {
  return (
    <div role="status" className="space-y-6 border-t px-5 py-5 sm:px-6">
      <span className="sr-only">Loading your transactions</span>
      {rows.map((row) => (
        <div key={row} className="flex items-center justify-between">
          <Skeleton className="h-5 w-48" />
          <Skeleton className="h-5 w-16" />
        </div>
      ))}
    </div>
  )
}
