import { intervalName } from '../billing/prices.ts'
import { needsMethod } from '../payments/needs-method.ts'
import type { CheckoutView } from './checkout-page.ts'
import { formatMoney } from './money.ts'

/** What a checkout is about, in the words of its page. */
export type SessionTerms = {
  title: string
  /** The large figure, and what it is per. */
  amount: string
  per: string | null
  afterwards: string | null
  totals: [string, string][]
  button: string
  consent: string | null
}

export function termsOf(view: CheckoutView): SessionTerms {
  return view.session.mode === 'subscription' ? subscriptionTerms(view) : paymentTerms(view)
}

function paymentTerms({ session, business_name }: CheckoutView): SessionTerms {
  const currency = session.currency ?? 'eur'
  const total = formatMoney({ amount: session.amount_total ?? 0, currency })
  return {
    title: `Pay ${business_name}`,
    amount: total,
    per: null,
    afterwards: null,
    totals: [
      ['Subtotal', formatMoney({ amount: session.amount_subtotal ?? 0, currency })],
      ['Total due', total],
    ],
    button: needsMethod(session) ? `Pay ${total}` : 'Complete order',
    consent: null,
  }
}

function subscriptionTerms({ session, details, business_name, fullAmountOf }: CheckoutView): SessionTerms {
  const currency = session.currency ?? 'eur'
  const [first] = details.line_items
  const every = first ? intervalName(first.price) : 'month'
  const full = details.line_items.reduce((sum, item) => sum + fullAmountOf(item), 0)
  const recurring = formatMoney({ amount: full, currency })
  const today = formatMoney({ amount: session.amount_total ?? 0, currency })
  const days = details.subscription_data?.trial_period_days ?? null
  const trial = days === null ? null : days === 1 ? '1 day free' : `${days} days free`
  const after = trial ? ' after your trial' : ''
  return {
    title: `Subscribe to ${details.line_items.map(({ description }) => description).join(', ')}`,
    amount: trial ?? recurring,
    per: trial ? null : `per ${every}`,
    afterwards: trial && `then ${recurring} per ${every}`,
    totals: [
      ['Subtotal', recurring],
      ...(trial ? ([['Free trial', trial]] as [string, string][]) : []),
      ['Total due today', today],
    ],
    button: trial ? 'Start trial' : 'Subscribe',
    consent: needsMethod(session)
      ? `By confirming, you allow ${business_name} to charge you ${recurring} every ${every}${after}, until you cancel. You can cancel at any time.`
      : null,
  }
}
