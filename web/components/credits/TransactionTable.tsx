import { ExternalLink } from 'lucide-react'
import type { BillingDocument } from '../../../schema/api/billing.ts'
import { type BalanceChange, describeCause } from '../../../schema/api/explanation.ts'
import { cn } from '../../ui/cn.ts'
import { formatCreditChange, formatCredits, formatDay, formatMoney, formatTime } from '../format.ts'

const format = { day: formatDay, credits: formatCredits, money: formatMoney }

interface TransactionTableProps {
  /** The invoices and receipts that are loaded, to link to. */
  documents: readonly BillingDocument[]
  /** Newest first. */
  changes: readonly BalanceChange[]
  /** The balance before the last of them; left out where others were left out. */
  opening?: number | undefined
}

/** Where there is little room, the date stands below the cause and the balance below the change. */
export function TransactionTable({ documents, changes, opening }: TransactionTableProps) {
  const links = linksOf(documents)
  return (
    <div className="@container overflow-hidden last:rounded-b-card">
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
              Credits<span className="@2xl:hidden">, balance</span>
            </th>
            <th scope="col" className="hidden pr-6 text-right @2xl:table-cell">
              Balance
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line tabular-nums">
          {changes.map((change) => (
            <Row
              key={change.id}
              change={change}
              document={links.get(change.cause.document_id ?? '') ?? null}
            />
          ))}
        </tbody>
        {opening !== undefined && (
          <tfoot className="border-t bg-sunken tabular-nums">
            <tr className="text-muted">
              <td className="hidden @2xl:table-cell" />
              <th scope="row" className="px-5 py-3 text-left font-normal sm:px-6 @2xl:px-4">
                Balance before these changes
              </th>
              <td className="hidden @2xl:table-cell" />
              <td className="whitespace-nowrap py-3 pr-5 text-right font-medium sm:pr-6">
                {formatCredits(opening)}
              </td>
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  )
}

interface RowProps {
  change: BalanceChange
  document: DocumentLink | null
}

function Row({ change, document }: RowProps) {
  const { what, why } = describeCause(change.cause, format)
  const when = (
    <time dateTime={change.occurred_at}>
      {formatDay(change.occurred_at)} <span className="text-faint">{formatTime(change.occurred_at)}</span>
    </time>
  )
  return (
    <tr className="align-top transition-colors hover:bg-sunken">
      <td className="hidden whitespace-nowrap py-3 pl-6 text-muted @2xl:table-cell">{when}</td>
      <td className="px-5 py-3 [overflow-wrap:anywhere] sm:px-6 @2xl:px-4">
        <p className="font-medium">{what}</p>
        <p className="mt-0.5 text-muted text-xs leading-5">
          {why}
          {document && (
            <>
              {' '}
              <a
                href={document.href}
                target="_blank"
                rel="noreferrer"
                aria-label={`${document.name} for: ${what}`}
                className="inline-flex items-center gap-1 whitespace-nowrap font-medium text-accent-text hover:underline"
              >
                {document.name}
                <ExternalLink aria-hidden="true" className="size-3" />
              </a>
            </>
          )}
        </p>
        <p className="mt-0.5 text-faint text-xs @2xl:hidden">{when}</p>
      </td>
      <td className="whitespace-nowrap py-3 pr-5 text-right font-medium sm:pr-6 @2xl:px-4">
        <Amounts change={change.change} />
        <span className="mt-0.5 block font-normal text-muted text-xs @2xl:hidden">
          {formatCredits(change.balance_after.total)}
        </span>
      </td>
      <td className="hidden whitespace-nowrap py-3 pr-6 text-right @2xl:table-cell">
        <span className="font-medium">{formatCredits(change.balance_after.total)}</span>
        <span className="mt-0.5 block text-faint text-xs">
          {formatCredits(change.balance_after.plan)} plan, {formatCredits(change.balance_after.purchased)}{' '}
          purchased
        </span>
      </td>
    </tr>
  )
}

/** Usage may take from both accounts; everything else changes one. */
function Amounts({ change }: { change: BalanceChange['change'] }) {
  const parts = (['plan', 'purchased'] as const).filter((account) => change[account] !== 0)
  return (
    <>
      <span className={cn(change.total > 0 ? 'text-positive' : 'text-critical')}>
        {formatCreditChange(change.total)}
      </span>
      <span className="mt-0.5 hidden font-normal text-faint text-xs @2xl:block">
        {parts.length === 1
          ? parts[0]
          : parts.map((account) => `${formatCreditChange(change[account])} ${account}`).join(', ')}
      </span>
    </>
  )
}

interface DocumentLink {
  readonly href: string
  /** "Invoice ABCD-0001". */
  readonly name: string
}

/** By the documents' ids. */
function linksOf(documents: readonly BillingDocument[]): ReadonlyMap<string, DocumentLink> {
  return new Map(
    documents.flatMap(({ id, kind, number, hosted_url }) => {
      const name = [kind === 'invoice' ? 'Invoice' : 'Receipt', number].filter(Boolean).join(' ')
      return hosted_url ? [[id, { href: hosted_url, name }]] : []
    }),
  )
}
