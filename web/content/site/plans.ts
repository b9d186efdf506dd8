import type { Plan, PlanType } from '../../../schema/catalogue/plans.ts'
import { personalPlan } from '../../../schema/catalogue/sold-plans.ts'
import type { Sample } from './sample.ts'

export const pricingHero = {
  title: 'Pay for what you build with, and see where it went',
  text: 'Plans include credits every month. When you need more, they cost the same on every plan.',
}

interface FeatureList extends Sample {
  readonly features: readonly string[]
}
type PlanCards = Readonly<Record<PlanType, FeatureList>>

/** What a plan's card lists; its credits, where the operator has put nothing. */
export function cardFeatures(cards: PlanCards, plan: Plan): readonly string[] {
  return cards[plan.plan_type]?.features ?? [`${plan.credits_per_seat} credits per month included`]
}

/**
 * What the cards of plans list, as the operator puts it. What a plan includes, with amounts, is in
 * the table "Compare Plans" (schema/catalogue/plan-items.ts), and the page adds how many seats can be bought; keep
 * "unlimited" for what is not charged.
 */
export const landingCards: PlanCards = {
  pro: {
    sample: true,
    features: [
      'Advanced MCP Integrations',
      'Custom Server Endpoints',
      'Multi-Model Orchestration',
      'Real-Time Context Sync',
      'Enhanced Security Layer',
      'Priority Technical Support',
      'Advanced API Rate Limits',
      'Server Performance Analytics',
      'Protocol Version Control',
    ],
  },
  teams: {
    sample: true,
    features: [
      'Everything in Pro Plan',
      'Dedicated Server Instance',
      'White-Label MCP Solutions',
      'Team Collaboration Tools',
      'Advanced User Management',
      'Custom Security Policies',
      'Dedicated Account Manager',
      'SLA Guarantees',
    ],
  },
}

export const pricingCards: PlanCards = {
  pro: {
    sample: true,
    features: [
      'Unlimited tab completion',
      `${personalPlan.credits_per_seat} requests per month included`,
      'Extra credits at API price',
      'Models from several AI vendors',
    ],
  },
  teams: {
    sample: true,
    features: [
      'Everything in Pro',
      'Privacy mode',
      'Centralized billing',
      'Admin dashboard with analytics',
      'Priority support',
    ],
  },
}
