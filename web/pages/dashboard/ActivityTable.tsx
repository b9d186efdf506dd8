import type { CreditTransaction } from '../../../schema/api/credits.ts'
import { formatCreditChange, formatCredits, formatDay, formatTime } from '../../components/format.ts'
import { cn } from '../../ui/cn.ts'

export function ActivityTable({ items }: { items: readonly CreditTransaction[] }) {
  return (
    <table className="mt-4 w-full text-sm">
      <thead>
        <tr className="border-b text-left text-faint text-xs [&>th]:pb-2 [&>th]:font-medium">
          <th scope="col" className="pl-5 sm:pl-6">
            Description
          </th>
          <th scope="col" className="px-3 text-right">
            Credits
          </th>
          <th scope="col" className="pr-5 text-right sm:pr-6">
            Balance
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {items.map((item) => (
          <tr key={item.id} className="transition-colors hover:bg-sunken">
            <td className="py-3 pl-5 sm:pl-6">
              <p className="font-medium">{item.description}</p>
              <p className="mt-0.5 text-faint text-xs">
                <time dateTime={item.created_at}>
                  {formatDay(item.created_at)}, {formatTime(item.created_at)}
                </time>
              </p>
            </td>
            <td
              className={cn(
                'whitespace-nowrap px-3 py-3 text-right font-medium tabular-nums',
                item.amount > 0 ? 'text-positive' : 'text-critical',
              )}
            >
              {formatCreditChange(item.amount)}
            </td>
            <td className="whitespace-nowrap py-3 pr-5 text-right text-muted tabular-nums sm:pr-6">
              {formatCredits(item.balance_after)}
              <span className="mt-0.5 block text-faint text-xs">{item.account}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
