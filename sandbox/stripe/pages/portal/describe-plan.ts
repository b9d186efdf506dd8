import { formatDay, formatMoney } from '../../entities/format.ts'
import { intervalName, productName, unitAmount } from '../../entities/price.ts'
import type { Service } from '../../service.ts'
import type { StoredSubscription } from '../../state.ts'

export type PlanDescription = {
  name: string
  /** "€210.00", for all of it, and "per month". */
  amount: string
  per: string
  /** "7 × €30.00", where there is more than one. */
  count: string | null
}

export function describePlan(service: Service, { items, currency }: StoredSubscription): PlanDescription {
  const money = (amount: number) => formatMoney({ amount, currency })
  const each = items.data.map(({ price }) => unitAmount(service, price, currency))
  const total = items.data.reduce((sum, { quantity }, index) => sum + quantity * (each[index] ?? 0), 0)
  const [first] = items.data
  const is_many = items.data.length === 1 && (first?.quantity ?? 1) > 1
  return {
    name: items.data.map(({ price }) => productName(service, price)).join(' + '),
    amount: money(total),
    per: first ? `per ${intervalName(first.price)}` : '',
    count: is_many ? `${first?.quantity} × ${money(each[0] ?? 0)}` : null,
  }
}

export type StateDescription = { text: string; tone: 'bad' | 'good' | 'note' }

export function describeState({ status, cancel_at, trial_end }: StoredSubscription): StateDescription {
  if (status === 'past_due') return { text: 'Past due', tone: 'bad' }
  if (status === 'incomplete') return { text: 'Incomplete', tone: 'bad' }
  if (cancel_at !== null) return { text: `Cancels ${formatDay(cancel_at)}`, tone: 'note' }
  if (status === 'trialing') return { text: `Trial ends ${formatDay(trial_end ?? 0)}`, tone: 'note' }
  return { text: 'Active', tone: 'good' }
}
