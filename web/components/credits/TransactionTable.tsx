import { Clock, ExternalLink } from 'lucide-react'
import { Fragment } from 'react'
import type { BillingDocument } from '../../../schema/api/billing.ts'
import {
  type BalanceChange,
  describeCause,
  type PendingCredits as Pending,
} from '../../../schema/api/explanation.ts'
import { cn } from '../../ui/cn.ts'
import { Cell, type Column, Table } from '../../ui/Table.tsx'
import { splitText } from '../account/balance.tsx'
import {
  formatCreditChange,
  formatCredits,
  formatDay,
  formatMoney,
  formatShortDay,
  formatTime,
} from '../format.ts'

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
    <Table caption="Transactions, newest first" columns={columns} className="border-t last:rounded-b-card">
      <tbody className="divide-y divide-line">
        {changes.map((change) => (
          <Row key={change.id} change={change} document={links.get(change.cause.document_id ?? '') ?? null} />
        ))}
      </tbody>
      {opening !== undefined && (
        <tfoot className="border-t">
          <tr className="bg-sunken text-muted">
            <Cell of="Date" />
            <Cell of="Description">Balance before these changes</Cell>
            <Cell of="Credits" className="whitespace-nowrap font-medium">
              <span className="@2xl:hidden">{formatCredits(opening)}</span>
            </Cell>
            <Cell of="Balance" className="whitespace-nowrap font-medium">
              {formatCredits(opening)}
            </Cell>
          </tr>
        </tfoot>
      )}
    </Table>
  )
}

const columns: readonly Column[] = [
  { name: 'Date', isWide: true },
  { name: 'Description', namesRow: true },
  {
    name: 'Credits',
    head: (
      <>
        Credits<span className="@2xl:hidden">, balance</span>
      </>
    ),
    align: 'right',
  },
  { name: 'Balance', align: 'right', isWide: true },
]

function Row({ change, document }: { change: BalanceChange; document: DocumentLink | null }) {
  const { what, why } = describeCause(change.cause, format, change.occurred_at)
  const when = (
    <time dateTime={change.occurred_at}>
      {formatDay(change.occurred_at)} <span className="text-faint">{formatTime(change.occurred_at)}</span>
    </time>
  )
  return (
    <tr className="align-top transition-colors hover:bg-sunken">
      <Cell of="Date" className="whitespace-nowrap text-muted">
        {when}
      </Cell>
      <Cell of="Description" className="[overflow-wrap:anywhere]">
        <p className="font-medium">{what}</p>
        <p className="mt-0.5 text-muted text-xs leading-5">
          <Dotted text={why} />
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
      </Cell>
      <Cell of="Credits" className="whitespace-nowrap font-medium">
        <Amounts change={change.change} />
        <span className="mt-0.5 block font-normal text-muted text-xs @2xl:hidden">
          {formatCredits(change.balance_after.total)}
        </span>
      </Cell>
      <Cell of="Balance" className="whitespace-nowrap">
        <span className="font-medium">{formatCredits(change.balance_after.total)}</span>
        <span className="mt-0.5 block text-faint text-xs">{splitText(change.balance_after)}</span>
      </Cell>
    </tr>
  )
}

/** Usage may take from both accounts, and nothing when it failed; everything else changes one. */
function Amounts({ change }: { change: BalanceChange['change'] }) {
  const parts = (['plan', 'purchased'] as const).filter((account) => change[account] !== 0)
  if (parts.length === 0) return <span className="text-muted">0</span>
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

/** Parts with dots between them: a line breaks after a dot, and within a part only where that is longer. */
function Dotted({ text }: { text: string }) {
  const parts = text.split(' · ')
  if (parts.length === 1) return text
  return [...parts.entries()].map(([place, part]) => (
    <Fragment key={place}>
      <span className="inline-block">{place < parts.length - 1 ? `${part} ·` : part}</span>{' '}
    </Fragment>
  ))
}

/** Credits that are reserved for requests under way, above the history that they are not in yet. */
export function PendingCredits({ pending, as_of }: { pending: readonly Pending[]; as_of: string }) {
  if (pending.length === 0) return null
  return (
    <ul aria-label="Reserved credits" className="divide-y divide-line border-t bg-sunken text-sm">
      {pending.map((hold) => (
        <li key={hold.id} className="flex items-start gap-2.5 px-5 py-3 sm:px-6">
          <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <p className="font-medium tabular-nums">
              <Heading hold={hold} as_of={as_of} />
            </p>
            <p className="mt-0.5 text-muted text-xs leading-5">
              <Dotted text={details(hold)} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** "75 credits reserved · expires 14:32", with the day where that is not today. */
function Heading({ hold: { credits, expires_at }, as_of }: { hold: Pending; as_of: string }) {
  const reserved = `${formatCredits(credits)} ${credits === 1 ? 'credit' : 'credits'} reserved`
  const isToday = formatDay(expires_at) === formatDay(as_of)
  const day = isToday ? '' : `${formatShortDay(expires_at)} at `
  return (
    <>
      {reserved} · <span className="whitespace-nowrap">{`expires ${day}${formatTime(expires_at)}`}</span>
    </>
  )
}

function details({ note, by, editor, model, project }: Pending): string {
  return [note, by && `Requested by ${by}`, editor, model, project].filter(Boolean).join(' · ')
}
