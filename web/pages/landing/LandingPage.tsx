import { usePageTitle } from '../../components/usePageTitle.ts'
import { ClosingCall } from './ClosingCall.tsx'
import { FaqSection } from './FaqSection.tsx'
import { FeatureSections } from './FeatureSections.tsx'
import { Hero } from './Hero.tsx'
import { PlatformSection } from './PlatformSection.tsx'
import { PricingSection } from './PricingSection.tsx'

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
