import { maximumSeats, plans } from '../../../schema/catalogue/plans.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { useSignedIn } from '../../auth/signedIn.ts'
import { PlanOffer } from '../../components/marketing/PlanOffer.tsx'
import { StartTeams } from '../../components/marketing/StartTeams.tsx'
import { useTrialButton } from '../../components/marketing/useTrialButton.ts'
import { useOffer, usePrice } from '../../components/usePrice.ts'
import { pricingCards } from '../../content/site/plans.ts'
import { Badge } from '../../ui/Badge.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'

const { pro, teams } = plans

export function PlanOffers() {
  const { billing, currency } = useOffer()
  const { brand } = useWebConfig()
  const signedIn = useSignedIn()
  const price = usePrice()
  const trialButton = useTrialButton()
  const { monthly, yearly } = pro.price_minor
  const query = new URLSearchParams({ plan: 'pro', billing, currency })
  return (
    <div className="grid gap-5 text-left lg:grid-cols-2">
      <PlanOffer
        highlighted
        name={pro.name}
        description={pro.description}
        badge={<Badge tone="accent">Popular</Badge>}
        price={price(billing === 'yearly' ? yearly / 12 : monthly)}
        unit="/ mo per user"
        note={billing === 'yearly' ? `${price(yearly)} once a year` : 'Billed every month'}
        features={pricingCards.pro.features}
        action={
          <LinkButton size="large" href={`${signedIn ? '/auth/post-signup' : '/sign-up'}?${query}`}>
            {trialButton}
          </LinkButton>
        }
      />
      <PlanOffer
        name={teams.name}
        description={teams.description}
        price="Custom"
        unit={`${price(teams.price_minor[billing] / (billing === 'yearly' ? 12 : 1))} per seat / mo`}
        note={`One subscription for up to ${maximumSeats} seats, billed every ${billing === 'yearly' ? 'year' : 'month'}`}
        features={pricingCards.teams.features}
        action={
          <div className="grid gap-2.5 sm:grid-cols-2">
            <StartTeams choice={{ billing, currency }} />
            <LinkButton
              size="large"
              variant="secondary"
              href={`mailto:${brand.support_email}?subject=${encodeURIComponent('Teams plan')}`}
            >
              Contact sales
            </LinkButton>
          </div>
        }
      />
    </div>
  )
}
