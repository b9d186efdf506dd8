import { plans } from '../../../schema/catalogue/plans.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { CurrencySegments } from '../../components/CurrencySegments.tsx'
import { SampleMark } from '../../components/marketing/Claims.tsx'
import { FaqSection } from '../../components/marketing/FaqSection.tsx'
import { StarterStrip } from '../../components/marketing/StarterStrip.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { useOffer, usePrice } from '../../components/usePrice.ts'
import { pricingFaq } from '../../content/site/faq.ts'
import { pricingCards, pricingHero } from '../../content/site/plans.ts'
import { Segments } from '../../ui/Segments.tsx'
import { ComparisonSection } from './ComparisonSection.tsx'
import { PlanOffers } from './PlanOffers.tsx'

const { monthly, yearly } = plans.pro.price_minor
const savedPercent = Math.round(100 - (yearly / (12 * monthly)) * 100)

export function PricingPage() {
  const { pro_trial_days } = useWebConfig()
  const price = usePrice()
  return (
    <>
      <section className="relative isolate -mt-16 overflow-hidden pt-16">
        <TideLines className="absolute inset-x-0 top-72 -z-10 h-80" />
        <div className="mx-auto flex max-w-3xl flex-col items-center px-5 pt-14 text-center sm:px-8 sm:pt-20">
          <h1 className="text-4xl sm:text-5xl">{pricingHero.title}</h1>
          <p className="mt-5 max-w-xl text-balance text-lg text-muted leading-relaxed">{pricingHero.text}</p>
          <OfferSwitch />
        </div>
        <div className="mx-auto max-w-6xl px-5 pt-10 pb-20 sm:px-8 sm:pb-28">
          <h2 className="sr-only">Plans</h2>
          <PlanOffers />
          <StarterStrip />
          <SampleMark of={pricingCards} className="mt-5" />
        </div>
      </section>
      <ComparisonSection />
      <FaqSection items={pricingFaq({ price, trialDays: pro_trial_days })} open="one" />
    </>
  )
}

function OfferSwitch() {
  const { billing, currency, is_bound, choose } = useOffer()
  return (
    <div className="mt-9 flex flex-wrap items-center justify-center gap-3">
      <Segments
        label="Billing period"
        name="billing"
        value={billing}
        onChange={(billing) => choose({ billing })}
        options={[
          { value: 'monthly', label: 'Monthly' },
          {
            value: 'yearly',
            label: (
              <>
                Yearly{' '}
                <span className="rounded-full bg-positive-soft px-1.5 py-px font-medium text-positive text-xs">
                  Save {savedPercent}%
                </span>
              </>
            ),
          },
        ]}
      />
      {!is_bound && <CurrencySegments value={currency} onChange={(currency) => choose({ currency })} />}
    </div>
  )
}
