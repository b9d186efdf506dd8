import type { ReactNode } from 'react'

/** What was bought, line by line. */
export function Receipt({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <dl
      aria-label={label}
      className="divide-y divide-line rounded-control border bg-sunken text-sm tabular-nums"
    >
      {children}
    </dl>
  )
}

export function ReceiptLine({ term, note, children }: { term: string; note?: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 px-4 py-3">
      <dt className="text-muted">{term}</dt>
      <dd className="text-right font-medium">
        {children}
        {note && <span className="mt-0.5 block font-normal text-muted text-xs">{note}</span>}
      </dd>
    </div>
  )
}
