import { useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { Link } from 'react-router-dom'
import { type PlanType, plans } from '../../../../schema/catalogue/plans.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { initializeQuery } from '../../../api/signup.ts'
import { failureText } from '../../../api/translate.ts'
import { useWebConfig } from '../../../api/webConfig.ts'
import type { SignedInUser } from '../../../auth/RequireUser.tsx'
import { StatusView } from '../../../components/StatusView.tsx'
import { Button } from '../../../ui/Button.tsx'
import { SetupView } from './SetupView.tsx'

interface PaidPlanProps {
  user: SignedInUser
  plan: PlanType
}

/**
 * Makes the account and says truthfully that plans cannot be paid for yet. The checkout of paid plans takes this
 * component's place, and nothing else changes.
 */
export function PaidPlan({ user, plan }: PaidPlanProps) {
  const api = useApi()
  const { brand } = useWebConfig()
  const account = useQuery(initializeQuery(api, user, plan))
  const { name } = plans[plan]

  if (account.isError && !account.isFetching) {
    return (
      <SetupView
        state="error"
        detail={failureText(account.error, 'Failed to initialize user')}
        onRetry={() => void account.refetch()}
      />
    )
  }
  if (!account.data) return <SetupView state="processing" />
  return (
    <StatusView
      tone="caution"
      Icon={CalendarClock}
      title={`The ${name} checkout is not open yet`}
      text={`Your account is ready and on the ${plans[account.data.user.plan_type].name} plan. You have not been charged. Until ${name} can be bought here, you can use ${brand.name} with credits.`}
      actions={
        <Button asChild>
          <Link to="/dashboard">Go to Dashboard</Link>
        </Button>
      }
    />
  )
}
