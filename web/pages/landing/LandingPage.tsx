import { TideLines } from '../../components/TideLines.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { FaqSection } from './FaqSection.tsx'
import { FeatureSections } from './FeatureSections.tsx'
import { Hero } from './Hero.tsx'
import { PlatformSection } from './PlatformSection.tsx'
import { PricingSection } from './PricingSection.tsx'
import { StartButton } from './StartButton.tsx'

export function LandingPage() {
  usePageTitle('')
  return (
    <>
      <Hero />
      <FeatureSections />
      <PlatformSection />
      <PricingSection />
      <FaqSection />
      <ClosingCall />
    </>
  )
}

function ClosingCall() {
  return (
    <section aria-labelledby="closing-title" className="relative isolate overflow-hidden border-t bg-surface">
      <TideLines className="absolute inset-x-0 bottom-0 -z-10 h-64" />
      <div className="mx-auto flex max-w-3xl flex-col items-center px-5 py-24 text-center sm:px-8 sm:py-32">
        <h2 id="closing-title" className="text-4xl tracking-[-0.03em] sm:text-5xl">
          Give it a task you’ve been putting off
        </h2>
        <p className="mt-5 text-lg text-muted">Free to start. No card needed until you buy credits.</p>
        <div className="mt-9">
          <StartButton />
        </div>
      </div>
    </section>
  )
}
