import { useWebConfig } from '../../api/catalogue.ts'
import { SampleMark } from '../../components/marketing/Claims.tsx'
import { FaqSection } from '../../components/marketing/FaqSection.tsx'
import { StarterStrip } from '../../components/marketing/StarterStrip.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { usePrice } from '../../components/usePrice.ts'
import { pricingFaq } from '../../content/site/faq.ts'
import { pricingCards, pricingHero } from '../../content/site/plans.ts'
import { ComparisonSection } from './ComparisonSection.tsx'
import { OfferSwitch } from './OfferSwitch.tsx'
import { PlanOffers } from './PlanOffers.tsx'
import { useOffer } from './useOffer.ts'

export function PricingPage() {
  const { pro_trial_days } = useWebConfig()
  const { choose, ...offer } = useOffer()
  const price = usePrice(offer.currency)
  return (
    <>
      <section className="relative isolate -mt-16 overflow-hidden pt-16">
        <TideLines className="absolute inset-x-0 top-72 -z-10 h-80" />
        <div className="mx-auto flex max-w-3xl flex-col items-center px-5 pt-14 text-center sm:px-8 sm:pt-20">
          <h1 className="text-4xl sm:text-5xl">{pricingHero.title}</h1>
          <p className="mt-5 max-w-xl text-balance text-lg text-muted leading-relaxed">{pricingHero.text}</p>
          <OfferSwitch offer={offer} onChange={choose} />
        </div>
        <div className="mx-auto max-w-6xl px-5 pt-10 pb-20 sm:px-8 sm:pb-28">
          <h2 className="sr-only">Plans</h2>
          <PlanOffers {...offer} />
          <StarterStrip currency={offer.currency} />
          <SampleMark of={pricingCards} className="mt-5" />
        </div>
      </section>
      <ComparisonSection {...offer} />
      <FaqSection items={pricingFaq({ price, trialDays: pro_trial_days })} open="one" />
    </>
  )
}
