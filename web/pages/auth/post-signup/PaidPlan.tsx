import { useQuery } from '@tanstack/react-query'
import { BadgeCheck } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import type { SoldPlanType } from '../../../../schema/catalogue/plans.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { initializeQuery } from '../../../api/account.ts'
import { planCheckoutQuery } from '../../../api/checkout.ts'
import { ApiFailure, failureText } from '../../../api/failure.ts'
import type { SignedInUser } from '../../../auth/RequireUser.tsx'
import type { Selection } from '../../../auth/selection.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { Button } from '../../../ui/Button.tsx'
import { SetupView } from './SetupView.tsx'

interface PaidPlanProps {
  user: SignedInUser
  selection: Selection & { plan: SoldPlanType }
}

/** Creates the account, then sends the browser to the payment page for the chosen plan. */
export function PaidPlan({ user, selection: { plan, billing, currency, seats } }: PaidPlanProps) {
  const api = useApi()
  const account = useQuery(initializeQuery(api, user, plan))
  const checkout = useQuery({
    ...planCheckoutQuery(api, {
      planType: plan,
      billingFrequency: billing,
      currency,
      seats,
      clerkUserId: user.id,
    }),
    enabled: account.isSuccess,
  })

  const url = checkout.data?.url
  useEffect(() => {
    // Replaces this page in the history. Otherwise the back button on the payment page would lead here, and so straight back.
    if (url) window.location.replace(url)
  }, [url])

  if (url) return <SetupView state="success" text="Taking you to the secure payment page." />
  if (account.isError && !account.isFetching) {
    return (
      <SetupView
        state="error"
        detail={failureText(account.error, 'Failed to initialize user')}
        onRetry={() => void account.refetch()}
      />
    )
  }
  if (checkout.isError && !checkout.isFetching) {
    const detail = failureText(checkout.error, 'Failed to create checkout session')
    if (isAlreadySubscribed(checkout.error)) return <AlreadySubscribed text={detail} />
    return <SetupView state="error" detail={detail} onRetry={() => void checkout.refetch()} />
  }
  return <SetupView state="processing" />
}

function isAlreadySubscribed(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === 'already_subscribed'
}

function AlreadySubscribed({ text }: { text: string }) {
  return (
    <StatusView
      tone="positive"
      Icon={BadgeCheck}
      title="You are already subscribed"
      text={`${text} You have not been charged again.`}
      actions={
        <Button asChild>
          <Link to="/dashboard">Go to Dashboard</Link>
        </Button>
      }
    />
  )
}
