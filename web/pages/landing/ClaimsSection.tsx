import { isClaimed, SampleMark, SourceOf } from '../../components/marketing/Claims.tsx'
import { claims } from '../../content/site/claims.ts'
import { landing } from '../../content/site/landing.ts'
import { landingCards } from '../../content/site/plans.ts'

/** What the operator says in numbers, and the mark of the whole page. */
export function ClaimsSection() {
  const { users, enterprises, code_by_ai, preference } = claims
  const shown = [users, enterprises, code_by_ai, preference].filter(isClaimed)
  return (
    <div className="mx-auto max-w-6xl px-5 sm:px-8">
      {shown.length > 0 && (
        <dl className="flex flex-wrap justify-center gap-x-6 gap-y-8 pb-8 text-center">
          {shown.map((claim) => (
            <div key={claim.label} className="flex min-w-32 flex-1 flex-col">
              <dt className="order-last text-muted text-sm">
                {claim.label}
                <SourceOf claim={claim} />
              </dt>
              <dd className="font-semibold text-3xl tabular-nums sm:text-4xl">{claim.value}</dd>
            </div>
          ))}
        </dl>
      )}
      <SampleMark of={{ claims, landing, landingCards }} className="pb-10 text-center" />
    </div>
  )
}
