import { planOf, teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import { useSignedIn } from '../../auth/signedIn.ts'
import { LinkButton } from '../../ui/LinkButton.tsx'

/** Leads to the order of a plan for an organization, by way of signing up. `choice`: plan, period and currency. */
export function StartTeams({ choice = {} }: { choice?: Readonly<Record<string, string>> | undefined }) {
  const query = new URLSearchParams(choice).toString()
  const start = query ? `/teams/start?${query}` : '/teams/start'
  const { currency } = choice
  const signUp = new URLSearchParams({ ...(currency && { currency }), redirect_url: start })
  const href = useSignedIn() ? start : `/sign-up?${signUp}`
  return (
    <LinkButton size="large" href={href}>
      {`Start with ${planOf(choice.plan ?? teamPlan.plan_type).name}`}
    </LinkButton>
  )
}
