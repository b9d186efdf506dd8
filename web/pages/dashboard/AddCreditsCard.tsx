import { lazy, Suspense } from 'react'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { creditRate } from '../../../schema/catalogue/credits.ts'
import { CurrencyChoice } from '../../components/account/CurrencyChoice.tsx'
import type { Payer } from '../../components/account/usePayer.ts'
import { formatMoney } from '../../components/format.ts'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

// Loaded when the account is there, which it does not delay.
const BuyCredits = lazy(async () => ({
  default: (await import('../../components/credits/BuyCredits.tsx')).BuyCredits,
}))

interface AddCreditsCardProps {
  payer: Payer
  currency: AccountSummary['currency']
}

export function AddCreditsCard({ payer: { payer, userId, organization }, currency }: AddCreditsCardProps) {
  return (
    <Card id="add-credits" aria-labelledby="add-credits-title" className="order-4 scroll-mt-20">
      <CardHeader
        id="add-credits-title"
        title="Add Credits"
        description={`${creditRate.credits} credits for ${formatMoney(creditRate.amount_minor, currency.code)}`}
        action={<CurrencyChoice payer={payer} currency={currency} />}
      />
      <div className="px-5 pt-4 pb-5 sm:px-6 sm:pb-6">
        <Suspense fallback={<Skeleton className="h-67" />}>
          <BuyCredits
            payer={
              organization
                ? { kind: 'organization', id: organization.id }
                : { kind: 'user', id: userId, from: 'dashboard' }
            }
            currency={currency.code}
          />
        </Suspense>
      </div>
    </Card>
  )
}
