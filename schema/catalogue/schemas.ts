import * as z from 'zod/mini'
import { currencies } from './currency.ts'
import { billingFrequencies, plans } from './plans.ts'
import { soldPlans } from './sold-plans.ts'

/** Schemas of the catalogue's choices. A separate file, so that pages with prices do not load zod. */
export const planTypeSchema = z.enum(plans.map(({ plan_type }) => plan_type))
export const soldPlanTypeSchema = z.enum(soldPlans.map(({ plan_type }) => plan_type))
export const billingFrequencySchema = z.enum(billingFrequencies)
export const currencySchema = z.enum(currencies)
