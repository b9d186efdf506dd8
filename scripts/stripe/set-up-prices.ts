import type Stripe from 'stripe'
import { currencies, defaultCurrency } from '../../schema/catalogue/currency.ts'
import type { PlanType } from '../../schema/catalogue/plans.ts'
import { type SoldPlan, soldPlans } from '../../schema/catalogue/sold-plans.ts'
import {
  type CataloguePrice,
  cataloguePrices,
  priceProblem,
  productIdOf,
  taxBehavior,
  taxCodes,
  taxProblem,
} from '../../schema/vendors/stripe/catalogue.ts'
import { isMissing } from '../../schema/vendors/stripe/missing.ts'

export interface SoldPrice extends CataloguePrice {
  readonly price_id: string
}

/** Creates missing products and prices of the catalogue, and compares the others. */
export async function setUpPrices(
  stripe: Stripe,
  options: { readonly brand_name: string },
): Promise<{ prices: SoldPrice[]; changes: string[] }> {
  const changes: string[] = []
  for (const plan of soldPlans) changes.push(...(await setUpProduct(stripe, plan, options)))
  const prices: SoldPrice[] = []
  for (const { price, found, problem } of await comparePrices(stripe)) {
    if (found && problem === null) {
      prices.push({ ...price, price_id: found.id })
      const tax = taxProblem(found)
      if (tax) {
        await setTaxBehavior(stripe, found)
        changes.push(
          `price ${price.lookup_key}: ${found.id} is ${taxBehavior} of tax now, because ${tax.text}`,
        )
      }
      continue
    }
    const created = await createPrice(stripe, price)
    prices.push({ ...price, price_id: created.id })
    changes.push(`price ${price.lookup_key}: made ${created.id}, because ${problem}`)
  }
  const sold = await Promise.all(soldPlans.map(({ plan_type }) => listPlanPrices(stripe, plan_type)))
  for (const found of sold.flat()) {
    if (!isUnspecified(found) && !unspecifiedOptions(found).length) continue
    await setTaxBehavior(stripe, found)
    changes.push(
      `price ${found.id}: ${taxBehavior} of tax now, so that its subscribers can change their plan`,
    )
  }
  return { prices, changes }
}

/** Every price at which a plan is or was sold. A price that was archived by hand is not among them. */
export async function listPlanPrices(stripe: Stripe, plan: PlanType): Promise<Stripe.Price[]> {
  const found = stripe.prices.list({
    product: productIdOf(plan),
    active: true,
    type: 'recurring',
    expand: ['data.currency_options'],
    limit: 100,
  })
  return found.autoPagingToArray({ limit: 10_000 })
}

export interface ComparedPrice {
  readonly price: CataloguePrice
  readonly found: Stripe.Price | undefined
  /** Why another price has to take the place of this one; null when it may be sold. */
  readonly problem: string | null
}

/** The catalogue's prices and what there is of them at Stripe. Changes nothing. */
export async function comparePrices(stripe: Stripe): Promise<ComparedPrice[]> {
  const { data: known } = await stripe.prices.list({
    lookup_keys: cataloguePrices.map((price) => price.lookup_key),
    expand: ['data.currency_options'],
    limit: 100,
  })
  return cataloguePrices.map((price) => {
    const found = known.find((candidate) => candidate.lookup_key === price.lookup_key)
    return { price, found, problem: found ? problemOf(found, price) : 'there is none' }
  })
}

function problemOf(found: Stripe.Price, price: CataloguePrice): string | null {
  const tax = taxProblem(found)
  return priceProblem(found, price) ?? (tax && !tax.can_be_set ? tax.text : null)
}

async function setUpProduct(
  stripe: Stripe,
  { plan_type, name, description, per_seat }: SoldPlan,
  options: { readonly brand_name: string },
): Promise<string[]> {
  const id = productIdOf(plan_type)
  const wanted = {
    name: `${options.brand_name} ${name}`,
    description,
    tax_code: taxCodes[per_seat ? 'organization' : 'user'],
    metadata: { planType: plan_type },
  }
  const found = await stripe.products.retrieve(id).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (!found) {
    await stripe.products.create({ id, ...wanted, ...(per_seat && { unit_label: 'seat' }) })
    return [`product ${id}: made`]
  }
  const same = (['name', 'description', 'tax_code'] as const).every((field) => found[field] === wanted[field])
  if (found.active && same) return []
  await stripe.products.update(id, { ...wanted, active: true })
  return [`product ${id}: brought up to date`]
}

/**
 * An amount cannot be changed at Stripe, so a new price takes over the lookup key. The old price stays active
 * without a key: subscriptions still pay it, and an open payment page still sells it.
 */
function createPrice(stripe: Stripe, price: CataloguePrice): Promise<Stripe.Price> {
  return stripe.prices.create({
    product: price.product_id,
    lookup_key: price.lookup_key,
    transfer_lookup_key: true,
    currency: defaultCurrency.toLowerCase(),
    unit_amount: price.amount_minor,
    ...taxParams(price),
    recurring: { interval: price.interval },
    metadata: { planType: price.plan_type, billingFrequency: price.billing_frequency },
  })
}

function isUnspecified({ tax_behavior }: { readonly tax_behavior: string | null }): boolean {
  return tax_behavior === null || tax_behavior === 'unspecified'
}

/** The other currencies of a price that say nothing of tax. */
function unspecifiedOptions({ currency, currency_options = {} }: Stripe.Price) {
  return Object.entries(currency_options).filter(
    ([code, option]) => code !== currency && isUnspecified(option),
  )
}

/** Sets what is unspecified; what is set never changes (Stripe.Price, `tax_behavior`). */
function setTaxBehavior(stripe: Stripe, price: Stripe.Price): Promise<Stripe.Price> {
  return stripe.prices.update(price.id, {
    ...(isUnspecified(price) && { tax_behavior: taxBehavior }),
    currency_options: Object.fromEntries(
      unspecifiedOptions(price).map(([code, { unit_amount }]) => [
        code,
        { ...(unit_amount !== null && { unit_amount }), tax_behavior: taxBehavior },
      ]),
    ),
  })
}

/** Each currency has a tax behavior of its own, which it does not take from the price. */
function taxParams(price: CataloguePrice) {
  const others = currencies.filter((currency) => currency !== defaultCurrency)
  return {
    tax_behavior: taxBehavior,
    currency_options: Object.fromEntries(
      others.map((currency) => [
        currency.toLowerCase(),
        { unit_amount: price.amount_minor, tax_behavior: taxBehavior },
      ]),
    ),
  } satisfies Partial<Stripe.PriceCreateParams>
}
