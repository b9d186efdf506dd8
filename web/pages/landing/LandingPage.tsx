import { FaqSection } from '../../components/marketing/FaqSection.tsx'
import { Fixed } from '../../components/marketing/Fixed.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { usePrice } from '../../components/usePrice.ts'
import { landingFaq } from '../../content/site/faq.ts'
import { sections } from '../../content/site/landing.ts'
import { CapabilitiesSection } from './CapabilitiesSection.tsx'
import { ClaimsSection } from './ClaimsSection.tsx'
import { FeatureSections } from './FeatureSections.tsx'
import { Hero } from './Hero.tsx'
import { IntegrationsSection } from './IntegrationsSection.tsx'
import { PlatformSection } from './PlatformSection.tsx'
import { PricingSection } from './PricingSection.tsx'
import { StartButton } from './StartButton.tsx'

export function LandingPage() {
  return (
    <>
      <Hero />
      <Fixed id="how-it-works">
        {(import.meta.env.SSR || import.meta.env.DEV) && (
          <>
            <ClaimsSection />
            <FeatureSections />
            <IntegrationsSection />
            <PlatformSection />
          </>
        )}
      </Fixed>
      <CapabilitiesSection />
      <PricingSection />
      <FaqSection items={landingFaq(usePrice())} open="one" />
      <ClosingCall />
    </>
  )
}

function ClosingCall() {
  return (
    <section aria-labelledby="closing-title" className="relative isolate overflow-hidden border-t bg-surface">
      <TideLines className="absolute inset-x-0 bottom-0 -z-10 h-64" />
      <div className="mx-auto flex max-w-3xl flex-col items-center px-5 py-24 text-center sm:px-8 sm:py-32">
        <h2 id="closing-title" className="text-3xl sm:text-4xl">
          {sections.closing.title}
        </h2>
        <p className="mt-5 text-lg text-muted">{sections.closing.text}</p>
        <div className="mt-9">
          <StartButton />
        </div>
      </div>
    </section>
  )
}
