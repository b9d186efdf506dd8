import { useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '../../../schema/api/endpoint.ts'
import type { getOrganizationCredits } from '../../../schema/api/organizations.ts'
import { lowBalanceCredits } from '../../../schema/catalogue/credits.ts'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { organizationCreditsQuery } from '../../api/organizations.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Fact } from '../../ui/Fact.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { creditsUnit } from '../account/balance.tsx'
import { BuyCredits } from '../credits/BuyCredits.tsx'
import { FailurePanel } from '../FailurePanel.tsx'
import { formatCredits, formatDay } from '../format.ts'

interface CreditPoolProps {
  payer: PayerView
  currency: Currency
  hasPlan: boolean
}

export function CreditPool({ payer, currency, hasPlan }: CreditPoolProps) {
  const credits = useQuery(organizationCreditsQuery(useApi(), payer))
  if (credits.isPending) return <Skeleton className="h-72 rounded-card" />
  return (
    <Card aria-labelledby="pool-title">
      <CardHeader id="pool-title" title="Credit pool" description="Shared by all members with a seat" />
      {credits.isLoadingError ? (
        <FailurePanel title="Error" query={credits} defaultText="Failed to load organization credits" />
      ) : (
        <Pool hasPlan={hasPlan} {...credits.data} />
      )}
      <section aria-labelledby="top-up-title" className="border-t px-5 py-5 sm:px-6">
        <h3 id="top-up-title" className="mb-4 font-semibold text-sm">
          Add credits to the pool
        </h3>
        <BuyCredits payer={payer} from="billing" currency={currency} />
      </section>
    </Card>
  )
}

function Pool(pool: ResponseOf<typeof getOrganizationCredits> & { hasPlan: boolean }) {
  const { total_credits, used_credits, held_credits, remaining_credits, plan_credits, purchased_credits } =
    pool
  // What is reserved is not used up: most of it comes back.
  const left = remaining_credits + held_credits
  const leftPercent = total_credits > 0 ? Math.max((remaining_credits / total_credits) * 100, 0) : 0
  return (
    <div className="px-5 pt-4 pb-5 tabular-nums sm:px-6">
      <p className="flex items-baseline gap-2">
        <strong className="font-semibold text-3xl">{formatCredits(remaining_credits)}</strong>
        <span className="text-muted text-sm">{creditsUnit({ held: held_credits }, 'remaining')}</span>
      </p>
      <div aria-hidden="true" className="mt-4 h-2 overflow-hidden rounded-full bg-accent-soft">
        <div className="h-full rounded-full bg-accent" style={{ width: `${leftPercent}%` }} />
      </div>
      <dl className="mt-4 divide-y divide-line text-sm">
        <Fact term={`Used since ${formatDay(pool.since)}`} className="py-2">
          {formatCredits(used_credits)}
        </Fact>
        {pool.hasPlan && (
          <Fact term="Plan credits" className="py-2">
            {formatCredits(plan_credits)}
          </Fact>
        )}
        <Fact term="Purchased credits, never expire" className="py-2">
          {formatCredits(purchased_credits)}
        </Fact>
      </dl>
      {/* Nothing is wrong with a pool that never had anything in it. */}
      {left < lowBalanceCredits && (total_credits > 0 || left < 0) && (
        <div className="mt-3">
          <Alert tone="caution" title={left > 0 ? 'The pool is almost empty' : 'The pool is empty'}>
            {left < 0
              ? `It is ${formatCredits(-left)} credits below zero. Add credits to use it again.`
              : 'Members cannot use the assistant until credits are added.'}
          </Alert>
        </div>
      )}
    </div>
  )
}
