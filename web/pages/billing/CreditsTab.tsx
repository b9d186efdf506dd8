import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { creditRate } from '../../../schema/catalogue/credits.ts'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery } from '../../api/account.ts'
import { usageSummaryQuery } from '../../api/billing.ts'
import { CurrencyChoice } from '../../components/account/CurrencyChoice.tsx'
import type { Payer } from '../../components/account/usePayer.ts'
import { LimitsCard } from '../../components/budgets/LimitsCard.tsx'
import { BuyCredits } from '../../components/credits/BuyCredits.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatCreditChange } from '../../components/format.ts'
import { readerLocales } from '../../reader.ts'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Fact } from '../../ui/Fact.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

export function CreditsTab({ payer }: { payer: Payer }) {
  // The page has waited for it; without it there are no amounts.
  const currency = useQuery(accountSummaryQuery(useApi(), payer)).data?.currency
  if (!currency) return null
  return (
    <div className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-5">
      <BuyCard payer={payer} currency={currency} />
      <SummaryCard payer={payer} currency={currency} />
      <div className="lg:col-span-5">
        <LimitsCard payer={payer} mayManage={payer.mayManage} />
      </div>
    </div>
  )
}

interface CardProps {
  payer: Payer
  currency: AccountSummary['currency']
}

function BuyCard({ payer, currency }: CardProps) {
  const isPersonal = payer.organizationName === null
  return (
    <Card aria-labelledby="buy-title" className="lg:col-span-3">
      <CardHeader
        id="buy-title"
        title="Buy Credits"
        description={
          isPersonal
            ? 'Purchased credits never expire.'
            : `For everyone with a seat in ${payer.organizationName}.`
        }
        action={payer.mayManage && <CurrencyChoice payer={payer.payer} currency={currency} />}
      />
      <div className="px-5 pt-4 pb-5 sm:px-6 sm:pb-6">
        {payer.mayManage ? (
          <BuyCredits payer={payer} from="billing" currency={currency.code} />
        ) : (
          <p className="text-muted text-sm">
            Only organization administrators can buy credits for {payer.organizationName}. Ask one of them, or
            switch to your personal account to buy your own.
          </p>
        )}
      </div>
    </Card>
  )
}

function SummaryCard({ payer, currency }: CardProps) {
  const usage = useQuery(usageSummaryQuery(useApi(), payer))
  return (
    <Card aria-labelledby="usage-title" className="lg:col-span-2">
      <CardHeader id="usage-title" title="Usage Summary" />
      {usage.isLoadingError ? (
        <FailurePanel title="Your usage could not be loaded" query={usage} />
      ) : (
        <dl className="divide-y divide-line px-5 pt-2 text-sm tabular-nums sm:px-6">
          <Used term="This month" used={usage.data?.this_month.used} />
          <Used term="Last month" used={usage.data?.last_month.used} />
          <Used term={average} used={usage.data?.daily_average} />
        </dl>
      )}
      <p className="mt-2 border-t px-5 py-4 text-muted text-sm sm:px-6">{rateText(currency.code)}</p>
    </Card>
  )
}

const average = (
  <>
    Daily average <span className="text-faint">(last 30 days)</span>
  </>
)

function Used({ term, used }: { term: ReactNode; used: number | undefined }) {
  return (
    <Fact term={term} className="py-3">
      {used === undefined ? <Skeleton className="h-5 w-14" /> : used === 0 ? '0' : formatCreditChange(-used)}
    </Fact>
  )
}

/** `Rate: 1 credit = €0.014` */
function rateText(currency: Currency): string {
  const rate = new Intl.NumberFormat(readerLocales, {
    style: 'currency',
    currency,
    minimumFractionDigits: 3,
  }).format(creditRate.amount_minor / creditRate.credits / 100)
  return `Rate: 1 credit = ${rate}`
}
