import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ResponseOf } from '../../../../schema/api/endpoint.ts'
import type { initializeUser } from '../../../../schema/api/users.ts'
import type { PlanType } from '../../../../schema/catalogue/plans.ts'
import { planOf, teamPlan } from '../../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { initializeQuery } from '../../../api/account.ts'
import { planCheckoutQuery } from '../../../api/checkout.ts'
import { ApiFailure, failureNotice, failureText } from '../../../api/failure.ts'
import type { Selection } from '../../../auth/selection.ts'
import type { SignedInUser } from '../../../auth/useSignedInUser.ts'
import { AlreadySubscribed } from './AlreadySubscribed.tsx'
import { type Repair, SetupView } from './SetupView.tsx'

interface PaidPlanProps {
  user: SignedInUser
  selection: Selection & { plan: PlanType }
  /** Why this order cannot be taken, which is known before the server is asked, and what to buy instead. */
  refusal: { readonly text: string; readonly repair: Repair | null } | null
}

/** Creates the account, then sends the browser to the payment page for the chosen plan. */
export function PaidPlan({ user, selection, refusal }: PaidPlanProps) {
  const { plan, billing, currency, seats } = selection
  const api = useApi()
  const account = useQuery(initializeQuery(api, user, plan))
  const owned = account.data && ownedPlan(account.data, plan)
  const checkout = useQuery({
    ...planCheckoutQuery(api, {
      planType: plan,
      billingFrequency: billing,
      ...(currency && { currency }),
      seats,
      clerkUserId: user.id,
    }),
    enabled: owned === null && refusal === null,
  })

  const retry = () => void checkout.refetch()
  const url = checkout.data?.url
  useEffect(() => {
    // Replaces the history entry, or the back button on the payment page would return here.
    if (url) window.location.replace(url)
  }, [url])

  if (owned) return owned
  if (url) return <SetupView state="success" text="Taking you to the secure payment page." />
  if (account.isError && !account.isFetching) {
    return (
      <SetupView
        state="error"
        notice={failureNotice(account.error, 'Failed to initialize user')}
        onRetry={() => void account.refetch()}
      />
    )
  }
  if (checkout.isError && !checkout.isFetching) {
    const defaultText = 'Failed to create checkout session'
    // Subscribed in another tab a moment ago.
    if (checkout.error instanceof ApiFailure && checkout.error.code === 'already_subscribed') {
      const portal = planOf(plan).per_seat ? null : { payer: 'personal', userId: user.id }
      return <AlreadySubscribed text={failureText(checkout.error, defaultText)} portal={portal} />
    }
    return (
      <SetupView
        state="error"
        notice={failureNotice(checkout.error, defaultText)}
        repair={refusal?.repair ?? null}
        onRetry={retry}
      />
    )
  }
  if (account.data && refusal && !checkout.isFetching) {
    const notice = { text: refusal.text, reference: null }
    return <SetupView state="error" notice={notice} repair={refusal.repair} onRetry={retry} />
  }
  return <SetupView state="processing" />
}

/** The page for a user who already has the plan, or `null`: then a checkout may be opened. */
function ownedPlan({ user, subscribed }: ResponseOf<typeof initializeUser>, plan: PlanType) {
  const { per_seat } = planOf(plan)
  if (!per_seat && subscribed.personal) {
    const text = 'You already have a subscription. Open the billing portal to change it.'
    return <AlreadySubscribed text={text} portal={{ payer: 'personal', userId: user.clerk_id }} />
  }
  if (per_seat && subscribed.team) {
    const id = subscribed.team_organization_id
    const text = `You already have a ${teamPlan.name} subscription. Change it in its billing portal, or add seats to it on the Organizations page.`
    return (
      <AlreadySubscribed text={text} portal={id === null ? null : { payer: id, userId: user.clerk_id }} />
    )
  }
  return null
}
