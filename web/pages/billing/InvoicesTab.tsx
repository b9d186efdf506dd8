import { DocumentsCard } from './DocumentsCard.tsx'
import { HistoryCard } from './HistoryCard.tsx'
import type { Payer } from './payer.ts'

export function InvoicesTab({ payer }: { payer: Payer }) {
  return (
    <div className="space-y-4 sm:space-y-5">
      <HistoryCard payer={payer} />
      <DocumentsCard payer={payer} />
    </div>
  )
}
