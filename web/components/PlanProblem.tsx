import { PackageX } from 'lucide-react'
import { teamPlan } from '../../schema/catalogue/sold-plans.ts'
import { useWebConfig } from '../api/catalogue.ts'
import { problemText, repairOf, type SelectionProblem, withSelection } from '../auth/offer.ts'
import { LinkButton } from '../ui/LinkButton.tsx'
import { StatusView } from './StatusView.tsx'

interface PlanProblemProps {
  problem: SelectionProblem
  /** The query that asks for what cannot be bought. */
  search: URLSearchParams
}

const untouched = 'No account has been created and nothing has been charged.'

/** In place of the form: why the plan of this address cannot be bought, and the nearest one that can. */
export function PlanProblem({ problem, search }: PlanProblemProps) {
  const to = (changes: Parameters<typeof withSelection>[1]) => withSelection(search, changes)
  const repair = repairOf(problem, search)
  return (
    <StatusView
      tone="caution"
      Icon={PackageX}
      title={problemText(problem)}
      text={<Explanation problem={problem} />}
      actions={
        <>
          {repair && <LinkButton href={repair.href}>{repair.text}</LinkButton>}
          {problem.kind === 'one_seat_only' ? (
            <LinkButton variant="secondary" href={to({ plan: teamPlan.plan_type })}>
              Choose {teamPlan.name}
            </LinkButton>
          ) : (
            <LinkButton variant={repair ? 'secondary' : 'primary'} href="/pricing">
              See the plans
            </LinkButton>
          )}
          {problem.kind === 'unknown_plan' && (
            <LinkButton variant="secondary" href={to({ plan: null, seats: null })}>
              Continue without one
            </LinkButton>
          )}
        </>
      }
    />
  )
}

function Explanation({ problem }: { problem: SelectionProblem }) {
  const { brand } = useWebConfig()
  if (problem.kind === 'unknown_plan') {
    return `The link that brought you here names a plan that we do not sell. ${untouched}`
  }
  if (problem.kind === 'one_seat_only') {
    return `This link asks for ${problem.seats} seats. Seats come with ${teamPlan.name}. ${untouched}`
  }
  if (problem.nearest !== problem.most) return untouched
  return (
    <>
      {untouched} For a larger team, write to{' '}
      <a
        href={`mailto:${brand.support_email}?subject=${encodeURIComponent(`${teamPlan.name} plan`)}`}
        className="text-accent-text underline underline-offset-4"
      >
        {brand.support_email}
      </a>
      .
    </>
  )
}
