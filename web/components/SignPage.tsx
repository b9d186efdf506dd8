import { useAuth } from '@clerk/clerk-react'
import { type ReactNode, useState } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { freePlan } from '../../schema/catalogue/sold-plans.ts'
import { useWebConfig } from '../api/catalogue.ts'
import { offerOf, selectionProblem } from '../auth/offer.ts'
import type { RedirectInput } from '../auth/redirects.ts'
import { readSelection, type Selection } from '../auth/selection.ts'
import { AuthFormSkeleton } from '../ui/Skeleton.tsx'
import { formatCredits, formatMoney } from './format.ts'
import { PlanProblem } from './PlanProblem.tsx'
import { usePageTitle } from './page.ts'

interface SignPageProps {
  title: string
  isNewAccount: boolean
  /** Where its visitor goes from here. */
  leadsTo: (redirect: RedirectInput) => string
  /** Clerk's form, with what both forms are given and the query for the link to the other one. */
  children: (form: ClerkForm, search: string) => ReactNode
}

interface ClerkForm {
  routing: 'path'
  forceRedirectUrl: string
  fallback: ReactNode
}

/** A form of Clerk's below the chosen plan. It redirects signed-in users, also those whom another tab has signed in. */
export function SignPage({ title, isNewAccount, leadsTo, children }: SignPageProps) {
  usePageTitle(title)
  const { isSignedIn } = useAuth()
  // The query at opening, kept in state: the form's steps drop it from the address.
  const [search] = useState(useLocation().search)
  const query = new URLSearchParams(search)
  const problem = selectionProblem(query, useWebConfig())
  if (problem) return <PlanProblem problem={problem} search={query} />
  const selection = readSelection(query)
  const redirectUrl = query.get('redirect_url')
  const next = leadsTo({ selection, redirectUrl, origin: window.location.origin })
  if (isSignedIn) return <Navigate to={next} replace />
  return (
    <>
      <h1 className="sr-only">{title}</h1>
      <SelectedPlan selection={selection} isNewAccount={isNewAccount} />
      {children({ routing: 'path', forceRedirectUrl: next, fallback: <AuthFormSkeleton /> }, search)}
    </>
  )
}

interface SelectedPlanProps {
  selection: Selection
  /** The account is made on this page, so its owner cannot have had the trial. */
  isNewAccount: boolean
}

/** Says above the form what the chosen plan will cost, and when; nothing where none was chosen. */
function SelectedPlan({ selection, isNewAccount }: SelectedPlanProps) {
  const offer = offerOf(selection, { isNewAccount, formatMoney })
  if (!offer && selection.plan !== freePlan.plan_type) return null
  const { billing, currency } = selection
  const choice = new URLSearchParams({ billing, ...(currency && { currency }) })
  return (
    <section
      aria-label="Your plan"
      className="mb-5 w-full max-w-[25rem] animate-rise rounded-card border bg-surface px-5 py-4 shadow-low"
    >
      <div className="flex items-baseline justify-between gap-4">
        <p className="font-medium text-base tabular-nums">
          {offer ? offer.sentence : `${freePlan.name}, free`}
        </p>
        <a
          href={`/pricing?${choice}`}
          className="shrink-0 text-accent-text text-sm underline-offset-4 hover:underline"
        >
          Change<span className="sr-only"> the plan</span>
        </a>
      </div>
      <p className="mt-1 text-muted text-sm">
        {offer
          ? `${formatCredits(offer.includedCredits)} credits a month included. Nothing is charged yet.`
          : 'Add credits when you need them.'}
      </p>
    </section>
  )
}
