import { getWebConfig, listPlans } from '../../schema/api/catalogue.ts'
import {
  creditPacks,
  creditRate,
  creditsCostMinor,
  maximumPurchaseCredits,
  minimumPurchaseCredits,
} from '../../schema/catalogue/credits.ts'
import { currencies } from '../../schema/catalogue/currency.ts'
import { plans, planTypes } from '../../schema/catalogue/plans.ts'
import { everybody } from '../rights.ts'
import { route } from '../route.ts'

export const catalogueRoutes = [
  route(listPlans, {
    rights: everybody,
  }).handle((_request, { settings }) => ({
    currencies: [...currencies],
    plans: planTypes.map((plan_type) => {
      const plan = plans[plan_type]
      const trial_days = plan_type === 'pro' ? settings.pro_trial_days : 0
      return { ...plan, trial_days, features: [...plan.features] }
    }),
    credits: {
      rate: creditRate,
      minimum: minimumPurchaseCredits,
      maximum: maximumPurchaseCredits,
      packs: creditPacks.map((pack) => ({ ...pack, amount_minor: creditsCostMinor(pack.credits) })),
    },
  })),

  route(getWebConfig, {
    rights: everybody,
  }).handle((_request, { settings }) => ({
    brand: settings.brand,
    clerk: {
      publishable_key: settings.clerk_publishable_key,
      proxy_url: settings.clerk_proxy_target ? '/__clerk' : null,
    },
    sandbox: settings.sandbox,
  })),
]
