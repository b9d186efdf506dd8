import { getWebConfig, listPlans } from '../../schema/api/catalogue.ts'
import {
  creditPacks,
  creditRate,
  creditsCostMinor,
  maximumPurchaseCredits,
  minimumPurchaseCredits,
} from '../../schema/catalogue/credits.ts'
import { currencies } from '../../schema/catalogue/currency.ts'
import { planFeatures } from '../../schema/catalogue/plan-items.ts'
import { plans } from '../../schema/catalogue/plans.ts'
import { everybody } from '../rights.ts'
import { route } from '../route.ts'
import { webConfigOf } from '../web-config.ts'

export const catalogueRoutes = [
  route(listPlans, {
    rights: everybody,
  }).handle(() => ({
    currencies: [...currencies],
    plans: plans.map((plan) => ({ ...plan, features: [...planFeatures(plan)] })),
    credits: {
      rate: creditRate,
      minimum: minimumPurchaseCredits,
      maximum: maximumPurchaseCredits,
      packs: creditPacks.map((pack) => ({ ...pack, amount_minor: creditsCostMinor(pack.credits) })),
    },
  })),

  route(getWebConfig, {
    rights: everybody,
  }).handle((_request, { settings }) => webConfigOf(settings)),
]
