import { creditRate } from '../../../schema/catalogue/credits.ts'
import { defaultCurrency } from '../../../schema/catalogue/currency.ts'
import { BuyCredits } from '../../components/credits/BuyCredits.tsx'
import { formatMoney } from '../../components/format.ts'
import { Card, CardHeader } from '../../ui/Card.tsx'

export function AddCreditsCard({ clerkUserId }: { clerkUserId: string }) {
  return (
    <Card
      id="add-credits"
      aria-labelledby="add-credits-title"
      className="scroll-mt-20 lg:col-span-2 lg:self-start"
    >
      <CardHeader
        id="add-credits-title"
        title="Add Credits"
        description={`${creditRate.credits} credits for ${formatMoney(creditRate.amount_minor, defaultCurrency)}`}
      />
      <div className="px-5 pt-4 pb-5 sm:px-6 sm:pb-6">
        <BuyCredits payer={{ kind: 'user', id: clerkUserId, from: 'dashboard' }} />
      </div>
    </Card>
  )
}
