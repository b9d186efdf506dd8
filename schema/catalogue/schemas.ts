import * as z from 'zod/mini'
import { currencies } from './currency.ts'
import { billingFrequencies, planTypes, soldPlanTypes } from './plans.ts'

/** Schemas of the catalogue's choices. A separate file, so that pages with prices do not load zod. */
export const planTypeSchema = z.enum(planTypes)
export const soldPlanTypeSchema = z.enum(soldPlanTypes)
export const billingFrequencySchema = z.enum(billingFrequencies)
export const currencySchema = z.enum(currencies)
