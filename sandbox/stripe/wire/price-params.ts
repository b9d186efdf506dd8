import { z } from 'zod'
import { currency, integer, metadata } from './params.ts'

export const unitAmount = integer.refine(
  (amount) => amount >= 0 && amount <= 99_999_999,
  'Invalid unit_amount: it must be from 0 to 99999999',
)

export const taxBehavior = z.enum(['exclusive', 'inclusive', 'unspecified'])

export const recurring = z.strictObject({
  interval: z.enum(['day', 'week', 'month', 'year']),
  interval_count: integer.optional(),
  trial_period_days: integer.optional(),
  usage_type: z.literal('licensed', 'The sandbox bills licensed prices only').optional(),
})

export const currencyOptions = z.record(
  currency,
  z.strictObject({ unit_amount: unitAmount, tax_behavior: taxBehavior.optional() }),
)

export const currencyOptionChanges = z.record(
  currency,
  z.strictObject({ unit_amount: unitAmount.optional(), tax_behavior: taxBehavior.optional() }),
)

/** A price described on the spot, wherever Stripe takes one instead of an id. */
export const inlinePrice = z.strictObject({
  currency,
  currency_options: currencyOptions.optional(),
  metadata: metadata.optional(),
  recurring: recurring.optional(),
  tax_behavior: taxBehavior.optional(),
  unit_amount: unitAmount,
})
