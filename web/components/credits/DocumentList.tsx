import { Download, ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { type BillingDocument, describeInvoicedPlan } from '../../../schema/api/billing.ts'
import { Badge } from '../../ui/Badge.tsx'
import { formatCredits, formatDay, formatMoney } from '../format.ts'

interface DocumentListProps<Item extends BillingDocument> {
  items: readonly Item[]
  /** What else a reader may open of it. */
  more?: (item: Item) => ReactNode
}

export function DocumentList<Item extends BillingDocument>({ items, more }: DocumentListProps<Item>) {
  return (
    <ul className="@container divide-y divide-line border-t text-sm">
      {items.map((item) => (
        <Document key={item.id} document={item}>
          {more?.(item)}
        </Document>
      ))}
    </ul>
  )
}

function Document({ document, children }: { document: BillingDocument; children: ReactNode }) {
  const { kind, number, created_at, hosted_url, pdf_url } = document
  const description = documentTitle(document)
  const title = number ?? description
  const [tone, status] = statuses[document.status]
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1.5 px-5 py-3 @xl:grid-cols-[1fr_auto_6rem_9rem] sm:px-6">
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">{description}</p>
        <p className="mt-0.5 text-muted text-xs tabular-nums">
          {formatDay(created_at)}
          {number && <span className="text-faint"> · {number}</span>}
        </p>
      </div>
      <p className="text-right font-medium tabular-nums @xl:order-1">
        {formatMoney(document.amount_minor, document.currency)}
      </p>
      <div className="flex gap-4 @xl:order-2 @xl:justify-end">
        {hosted_url && (
          <DocumentLink href={hosted_url} label={`${kind === 'invoice' ? 'Invoice' : 'Receipt'} ${title}`}>
            {kind === 'invoice' ? 'Invoice' : 'Receipt'}
            <ExternalLink aria-hidden="true" className="size-3.5" />
          </DocumentLink>
        )}
        {pdf_url && (
          <DocumentLink href={pdf_url} label={`PDF of invoice ${title}`}>
            PDF
            <Download aria-hidden="true" className="size-3.5" />
          </DocumentLink>
        )}
        {children}
      </div>
      <p className="text-right">
        <Badge tone={tone}>{status}</Badge>
      </p>
    </li>
  )
}

/** What was bought, with numbers and days as the reader writes them. */
export function documentTitle({ credits, plan, description }: BillingDocument): string {
  if (credits !== null) return `${formatCredits(credits)} credits`
  return plan ? describeInvoicedPlan(plan, formatDay(plan.ends_at)) : description
}

function DocumentLink({ href, label, children }: { href: string; label: string; children: ReactNode }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      aria-label={label}
      className="inline-flex items-center gap-1 rounded-sm font-medium text-accent-text hover:underline"
    >
      {children}
    </a>
  )
}

const statuses = {
  paid: ['positive', 'Paid'],
  open: ['caution', 'Unpaid'],
  processing: ['accent', 'Processing'],
  failed: ['caution', 'Failed'],
  void: ['neutral', 'Void'],
  uncollectible: ['caution', 'Uncollectible'],
  refunded: ['neutral', 'Refunded'],
  partially_refunded: ['neutral', 'Partly refunded'],
  disputed: ['caution', 'Disputed'],
  dispute_lost: ['neutral', 'Returned by the bank'],
} as const satisfies Record<BillingDocument['status'], readonly [string, string]>
