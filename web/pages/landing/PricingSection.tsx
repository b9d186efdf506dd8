import { useAuth } from '@clerk/clerk-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { creditRate } from '../../../schema/catalogue/credits.ts'
import { defaultCurrency, formatMoney } from '../../../schema/catalogue/currency.ts'
import { plans } from '../../../schema/catalogue/plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { plansQuery, useWebConfig } from '../../api/catalogue.ts'
import { proFeatures, teamsFeatures } from '../../content/landing.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { PlanOffer } from './PlanOffer.tsx'
import { SectionHeading } from './SectionHeading.tsx'

export function PricingSection() {
  const { brand } = useWebConfig()
  const { isSignedIn } = useAuth()
  const catalogue = useQuery(plansQuery(useApi()))
  // The button promises no trial until the server has said how long it is.
  const trialDays = catalogue.data?.find(({ plan_type }) => plan_type === 'pro')?.trial_days ?? 0
  const proPath = `${isSignedIn ? '/auth/post-signup' : '/sign-up'}?plan=pro&billing=monthly`
  return (
    <section id="pricing" aria-labelledby="pricing-title" className="border-t bg-surface">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading
          id="pricing-title"
          title="Pricing that adds up"
          text="Start free and buy credits when you need them, or choose a plan that includes credits every month."
        />
        <div className="mt-12 grid gap-5 lg:grid-cols-2">
          <PlanOffer
            name={plans.pro.name}
            description={plans.pro.description}
            badge={<Badge tone="accent">Popular</Badge>}
            price={formatMoney(plans.pro.price_minor?.monthly ?? 0, defaultCurrency).replace(/\.00$/, '')}
            unit="/ mo per user"
            features={proFeatures}
            action={
              <Button asChild size="large">
                <Link to={proPath}>{trialDays > 0 ? `Start ${trialDays}-Day Free Trial` : 'Get Pro'}</Link>
              </Button>
            }
          />
          <PlanOffer
            name={plans.teams.name}
            description={plans.teams.description}
            price="Custom"
            unit="for up to 100 seats"
            features={teamsFeatures}
            action={
              <Button asChild size="large" variant="secondary">
                <a href={`mailto:${brand.support_email}?subject=${encodeURIComponent('Teams pricing')}`}>
                  Get Custom Pricing
                </a>
              </Button>
            }
          />
        </div>
        <p className="mt-6 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-card border bg-sunken px-6 py-5 text-[15px]">
          <span>
            <strong className="font-semibold">Starter is free.</strong>{' '}
            <span className="text-muted">
              Buy {creditRate.credits} credits for {formatMoney(creditRate.amount_minor, defaultCurrency)}{' '}
              whenever you need them. They never expire.
            </span>
          </span>
          <Link
            to={isSignedIn ? '/dashboard#add-credits' : '/sign-up?plan=starter'}
            className="font-medium text-accent-text underline-offset-4 hover:underline"
          >
            {isSignedIn ? 'Add credits' : 'Start for free'}
          </Link>
        </p>
      </div>
    </section>
  )
}
