import * as z from 'zod/mini'
import { currencies } from './currency.ts'
import { billingFrequencies, planTypes, soldPlanTypes } from './plans.ts'

/**
 * The catalogue's choices as calls carry them. Apart from the values, because pages that show prices should
 * not load zod.
 */
export const planTypeSchema = z.enum(planTypes)
export const soldPlanTypeSchema = z.enum(soldPlanTypes)
export const billingFrequencySchema = z.enum(billingFrequencies)
export const currencySchema = z.enum(currencies)
