import { maximumSeats } from '../../../schema/catalogue/plans.ts'
import { soldPlans, teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import { buyText, PlanOffer, StarterStrip, TeamActions } from '../../components/marketing/PlanOffer.tsx'
import { SectionHeading } from '../../components/marketing/SectionHeading.tsx'
import { usePrice } from '../../components/usePrice.ts'
import { sections } from '../../content/site/landing.ts'
import { cardFeatures, landingCards } from '../../content/site/plans.ts'
import { LinkButton } from '../../ui/LinkButton.tsx'

export function PricingSection() {
  const price = usePrice()
  return (
    <section id="pricing" aria-labelledby="pricing-title" className="border-t">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading id="pricing-title" {...sections.pricing} />
        <div className="mt-12 grid gap-5 lg:grid-cols-2">
          {soldPlans.map((plan) => {
            const features = cardFeatures(landingCards, plan)
            const each = price(plan.price_minor.monthly)
            return plan.per_seat ? (
              <PlanOffer
                key={plan.plan_type}
                plan={plan}
                price="Custom"
                unit={`${each} per seat / mo, up to ${maximumSeats} seats`}
                features={features}
                action={
                  <TeamActions
                    choice={plan === teamPlan ? undefined : { plan: plan.plan_type }}
                    contact="Get Custom Pricing"
                    subject={`${plan.name} pricing`}
                  />
                }
              />
            ) : (
              <PlanOffer
                key={plan.plan_type}
                plan={plan}
                price={each}
                unit="/ mo per user"
                features={features}
                action={
                  <LinkButton size="large" href="/pricing">
                    {buyText(plan)}
                  </LinkButton>
                }
              />
            )
          })}
        </div>
        <StarterStrip />
      </div>
    </section>
  )
}
