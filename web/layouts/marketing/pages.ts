import type { ComponentType } from 'react'
import type { MarketingPath } from '../../content/paths.ts'
import { type LegalPath, legalDocuments } from '../../content/site/legal.ts'

interface MarketingPage {
  /** Left out where the product's name is the title. */
  readonly title?: string
  readonly description: string
  readonly load: () => Promise<ComponentType>
}

export const marketingPages: Readonly<Record<MarketingPath, MarketingPage>> = {
  '/': {
    description:
      'An AI coding assistant for the editor you already use, with a clear record of every credit.',
    load: async () => (await import('../../pages/landing/LandingPage.tsx')).LandingPage,
  },
  '/pricing': {
    title: 'Pricing',
    description: 'What Pro and Teams cost and include, and what a credit costs. Starter is free.',
    load: async () => (await import('../../pages/pricing/PricingPage.tsx')).PricingPage,
  },
  '/teams': {
    title: 'Teams and Enterprise',
    description: 'One bill, one pool of credits and a seat for everyone who writes code.',
    load: async () => (await import('../../pages/teams/TeamsPage.tsx')).TeamsPage,
  },
  '/updates': {
    title: 'Updates',
    description: 'What is new, latest first.',
    load: async () => (await import('../../pages/updates/UpdatesPage.tsx')).UpdatesPage,
  },
  '/docs': {
    title: 'Docs',
    description: 'How an editor signs its user in and spends credits, call by call.',
    load: async () => (await import('../../pages/docs/DocsPage.tsx')).DocsPage,
  },
  '/terms': legalPage('/terms'),
  '/privacy': legalPage('/privacy'),
  '/refunds': legalPage('/refunds'),
  '/imprint': legalPage('/imprint'),
}

function legalPage(path: LegalPath): MarketingPage {
  const { title } = legalDocuments[path]
  return {
    title,
    description: `${title} of this site.`,
    load: async () => {
      const { LegalPage } = await import('../../pages/legal/LegalPage.tsx')
      return () => LegalPage({ path })
    },
  }
}
