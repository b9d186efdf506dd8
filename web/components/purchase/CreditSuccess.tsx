import { CircleCheck } from 'lucide-react'
import { formatMoney } from '../../../schema/catalogue/currency.ts'
import { formatCredits } from '../format.ts'
import { StatusView } from '../StatusView.tsx'
import { PurchaseActions } from './PurchaseActions.tsx'
import type { AppliedPurchase } from './progress.ts'
import { Receipt, ReceiptLine } from './Receipt.tsx'

export function CreditSuccess({ title, purchase }: { title: string; purchase: AppliedPurchase }) {
  return (
    <StatusView
      tone="positive"
      Icon={CircleCheck}
      title={title}
      text="Your credit purchase has been processed successfully."
      actions={<PurchaseActions history />}
    >
      <Receipt>
        <ReceiptLine term="Credits Added">
          <span className="font-semibold text-lg text-positive">+{formatCredits(purchase.credits)}</span>
        </ReceiptLine>
        <ReceiptLine term="Amount paid">
          {formatMoney(purchase.amount_minor, purchase.currency)}{' '}
          <span className="text-muted">{purchase.currency}</span>
        </ReceiptLine>
        <ReceiptLine term="New balance">{formatCredits(purchase.balance)} credits</ReceiptLine>
      </Receipt>
    </StatusView>
  )
}
