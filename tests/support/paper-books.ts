import {
  type BooksInScope,
  type Difference,
  differenceOf,
  usageToCount,
} from '../../schema/billing/position/difference.ts'
import type { OwnerFacts } from '../../schema/billing/position/facts.ts'
import { positionOf } from '../../schema/billing/position/position.ts'
import type { GrantInBooks } from '../../schema/ledger/post/books.ts'

const nothing = {
  gross: 0,
  refunded: 0,
  disputed: 0,
  returned: 0,
  expired: 0,
  written_off: 0,
  adjusted: 0,
  transfers: 0,
}

/** What the ledger does with a difference, without a database: for tests of many histories. */
export class PaperBooks {
  readonly #grants = new Map<string, GrantInBooks>()
  #closed: BooksInScope['closed_months'] = []
  #used = { plan: 0, purchased: 0 }
  readonly #usages: { readonly at: Date; readonly plan: number; readonly purchased: number }[] = []

  reconcile(facts: OwnerFacts, now: Date): Difference {
    const books = this.read()
    const position = positionOf(facts, now, books)
    const usage = usageToCount(position, books).map((month) => {
      const used = this.#usages.filter(({ at }) => at >= month.from && at < month.until)
      const sum = (account: 'plan' | 'purchased') => used.reduce((all, one) => all + one[account], 0)
      return { ...month, plan: sum('plan'), purchased: sum('purchased') }
    })
    const difference = differenceOf(position, books, usage)
    for (const { grant, component, credits } of difference.transfers) {
      const known = this.#grants.get(grant.id) ?? { ...grant, ...nothing }
      if (component === 'returned') {
        this.#used = { plan: this.#used.plan - credits, purchased: this.#used.purchased + credits }
        const returned = known.returned + credits
        this.#grants.set(grant.id, { ...known, returned, transfers: known.transfers + 1 })
        continue
      }
      const sign = component === 'refunded' || component === 'disputed' ? -1 : 1
      const amount = known[component] + sign * credits
      this.#grants.set(grant.id, { ...known, [component]: amount, transfers: known.transfers + 1 })
    }
    this.#closed = [...this.#closed, ...difference.closings]
    return difference
  }

  read(): BooksInScope {
    const closed = this.#closed.reduce((sum, { used }) => sum + used, 0)
    return {
      grants: [...this.#grants.values()],
      closed_months: this.#closed,
      holds: [],
      used_open: this.#used.plan - closed,
    }
  }

  balance(account: 'plan' | 'purchased'): number {
    const amounts = [...this.#grants.values()]
      .filter((grant) => grant.account === account)
      .map((grant) => grant.gross - grant.refunded - grant.disputed + grant.expired + grant.written_off)
    return amounts.reduce((sum, amount) => sum + amount, 0) - this.#used[account]
  }

  /** Rule 10. False when it is refused. Without a time it occurs before all months. */
  use(credits: number, at = new Date(0)): boolean {
    const [plan, purchased] = [this.balance('plan'), this.balance('purchased')]
    if (credits > plan + purchased) return false
    const ofPlan = Math.min(credits, Math.max(0, plan))
    this.#used = { plan: this.#used.plan + ofPlan, purchased: this.#used.purchased + credits - ofPlan }
    this.#usages.push({ at, plan: ofPlan, purchased: credits - ofPlan })
    return true
  }

  balances(): { plan: number; purchased: number } {
    return { plan: this.balance('plan'), purchased: this.balance('purchased') }
  }
}
