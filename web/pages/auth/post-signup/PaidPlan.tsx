import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, CircleAlert, CircleCheck } from 'lucide-react'
import { useEffect } from 'react'
import type { ResponseOf } from '../../../../schema/api/endpoint.ts'
import type { initializeUser } from '../../../../schema/api/users.ts'
import type { PlanType } from '../../../../schema/catalogue/plans.ts'
import { planOf, teamPlan } from '../../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { initializeQuery, type PayerView } from '../../../api/account.ts'
import { planCheckoutQuery } from '../../../api/checkout.ts'
import { type FailureNotice, failureNotice, failureText, hasCode } from '../../../api/failure.ts'
import type { Selection } from '../../../auth/selection.ts'
import type { SignedInUser } from '../../../auth/useSignedInUser.ts'
import { PortalButton } from '../../../components/account/PortalButton.tsx'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { StatusView } from '../../../components/StatusView.tsx'
import { Button } from '../../../ui/Button.tsx'

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
    if (hasCode(checkout.error, 'already_subscribed')) {
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

interface AlreadySubscribedProps {
  text: string
  /** The billing portal for changes; `null` when only the Organizations page can lead there. */
  portal: PayerView | null
}

/** Shown to a user who already has the plan: they are not charged again, and can change it with one click. */
export function AlreadySubscribed({ text, portal }: AlreadySubscribedProps) {
  return (
    <StatusView
      tone="positive"
      Icon={BadgeCheck}
      title="You are already subscribed"
      text={`${text} You have not been charged again.`}
      actions={
        <>
          {portal ? (
            <PortalButton payer={portal} variant="primary" size="medium" />
          ) : (
            <RouteButton to="/organizations">Go to organizations</RouteButton>
          )}
          <RouteButton to="/dashboard" variant="secondary">
            Go to Dashboard
          </RouteButton>
        </>
      }
    />
  )
}

type SetupViewProps =
  | { state: 'loading' | 'processing' }
  | { state: 'success'; text: string }
  | { state: 'error'; notice: FailureNotice; onRetry: () => void; repair?: Repair | null }

/** An order that can be taken, where trying the same one again cannot help. */
export interface Repair {
  readonly text: string
  readonly href: string
}

export function SetupView(props: SetupViewProps) {
  switch (props.state) {
    case 'loading':
      return <StatusView tone="busy" title="Loading..." text="One moment, please." />
    case 'processing':
      return (
        <StatusView tone="busy" title="Setting up your account..." text="This usually takes a few seconds." />
      )
    case 'success':
      return <StatusView tone="positive" Icon={CircleCheck} title="You’re all set!" text={props.text} />
    case 'error': {
      const { text, advice, reference } = props.notice
      return (
        <StatusView
          tone="critical"
          Icon={CircleAlert}
          title="Something went wrong"
          text="We encountered an error while setting up your account."
          actions={
            <>
              <Button onClick={props.onRetry}>Try Again</Button>
              <RouteButton to="/dashboard" variant="secondary">
                Go to Dashboard
              </RouteButton>
            </>
          }
        >
          <div className="rounded-control bg-sunken px-4 py-3 text-muted text-sm">
            <p>{text}</p>
            {advice && <p className="mt-1">{advice}</p>}
            {props.repair && (
              <p className="mt-1">
                <a href={props.repair.href} className="text-accent-text underline underline-offset-4">
                  {props.repair.text}
                </a>
              </p>
            )}
            {reference && <p className="mt-1 font-mono text-faint text-xs">Reference {reference}</p>}
          </div>
          <p className="text-muted text-sm">
            You have not been charged. Trying again cannot charge you twice.
          </p>
        </StatusView>
      )
    }
  }
}
