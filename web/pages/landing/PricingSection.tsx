import { maximumSeats, plans } from '../../../schema/catalogue/plans.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { PlanOffer, StarterStrip, useTrialButton } from '../../components/marketing/PlanOffer.tsx'
import { SectionHeading } from '../../components/marketing/SectionHeading.tsx'
import { StartTeams } from '../../components/marketing/StartTeams.tsx'
import { usePrice } from '../../components/usePrice.ts'
import { sections } from '../../content/site/landing.ts'
import { landingCards } from '../../content/site/plans.ts'
import { Badge } from '../../ui/Badge.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'

const { pro, teams } = plans

export function PricingSection() {
  const { brand } = useWebConfig()
  const price = usePrice()
  const trialButton = useTrialButton()
  return (
    <section id="pricing" aria-labelledby="pricing-title" className="border-t">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading id="pricing-title" {...sections.pricing} />
        <div className="mt-12 grid gap-5 lg:grid-cols-2">
          <PlanOffer
            highlighted
            name={pro.name}
            description={pro.description}
            badge={<Badge tone="accent">Popular</Badge>}
            price={price(pro.price_minor.monthly)}
            unit="/ mo per user"
            features={landingCards.pro.features}
            action={
              <LinkButton size="large" href="/pricing">
                {trialButton}
              </LinkButton>
            }
          />
          <PlanOffer
            name={teams.name}
            description={teams.description}
            price="Custom"
            unit={`${price(teams.price_minor.monthly)} per seat / mo, up to ${maximumSeats} seats`}
            features={landingCards.teams.features}
            action={
              <div className="grid gap-2.5 sm:grid-cols-2">
                <StartTeams />
                <LinkButton
                  size="large"
                  variant="secondary"
                  href={`mailto:${brand.support_email}?subject=${encodeURIComponent('Teams pricing')}`}
                >
                  Get Custom Pricing
                </LinkButton>
              </div>
            }
          />
        </div>
        <StarterStrip />
      </div>
    </section>
  )
}
