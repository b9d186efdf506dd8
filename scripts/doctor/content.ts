import { claims } from '../../web/content/site/claims.ts'
import { landing } from '../../web/content/site/landing.ts'
import { landingCards, pricingCards } from '../../web/content/site/plans.ts'
import { samplesIn } from '../../web/content/site/sample.ts'
import { quotes } from '../../web/content/site/teams.ts'
import { updates } from '../../web/content/site/updates.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, warning } from './finding.ts'

/** What the public pages show that came with the product. */
export function examineContent({ env }: Configuration): Finding[] {
  const documents = {
    terms: env.BRAND_TERMS_URL ?? env.TERMS_URL,
    privacy: env.BRAND_PRIVACY_URL,
    refunds: env.BRAND_REFUNDS_URL,
    imprint: env.BRAND_IMPRINT_URL,
  }
  const left = [
    ...samplesIn({ claims, landing, landingCards, pricingCards, quotes, updates }),
    ...Object.entries(documents).flatMap(([name, address]) => (address ? [] : [`the page of ${name}`])),
  ]
  if (left.length === 0) return [ok('content', 'all of it is your own')]
  const text = `samples are shown: ${left.join(', ')}`
  if (env.NODE_ENV !== 'production') return [ok('content', text)]
  return [
    warning('content', {
      text,
      means:
        'The public pages show default claims that the operator has not confirmed, marked as sample content.',
      repair:
        'Write your own in web/content/site, or blank it, and build again; BRAND_…_URL has your documents.',
    }),
  ]
}
