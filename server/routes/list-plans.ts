import type { listPlans } from '../../schema/api/catalogue.ts'
import {
  creditPacks,
  creditRate,
  creditsCostMinor,
  maximumPurchaseCredits,
  minimumPurchaseCredits,
} from '../../schema/catalogue/credits.ts'
import { currencies } from '../../schema/catalogue/currency.ts'
import { plans, planTypes } from '../../schema/catalogue/plans.ts'
import type { Handler } from '../mount.ts'

export const handleListPlans: Handler<typeof listPlans> = (_request, { settings }) => ({
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
})
