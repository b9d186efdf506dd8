import type { SpendOutcome, SpendRequest } from '../../schema/ledger/spend/usage.ts'

const dayMs = 24 * 3_600_000
const dueOfMonth = 60

/** A billing month that was paid for. Times are milliseconds. */
export interface PlanMonth {
  /** Months of one plan pay each other's debts. */
  readonly plan: number
  readonly starts: number
  ends: number
  /** Percent of its money that went back. */
  back: number
  used: number
  expired: number
  written_off: number
  state: 'open' | 'kept' | 'closed'
  /** What is left of it for its open holds while it is kept. */
  kept: number
}

export interface Promised {
  readonly person: string
  readonly payer: 'own' | 'pool'
  readonly key: string
  readonly asked: number
  readonly at_least: number
  readonly credits: number
  readonly opened: number
  expires: number
  id: string
  /** The one that was open when it was opened, or that has taken it over. */
  month: PlanMonth | undefined
  end?: { how: 'settled' | 'released'; cost: number; failure: string; charged: number; late: boolean }
}

interface Said {
  readonly outcome: SpendOutcome['outcome']
  readonly charged?: number
  readonly held?: number
  readonly expires?: number
}

/**
 * What a payer has, said from the customer's side: months whose credits end, bought ones that do not, and
 * promises that end by themselves.
 */
export class Payer {
  readonly name: 'own' | 'pool'
  purchased = 0
  readonly months: PlanMonth[] = []
  readonly counted = { requests: 0, failed: 0, credits: 0 }
  readonly holds: Promised[] = []
  /** When the latest plan ended, if one did. */
  ended: number | undefined
  readonly #keys = new Map<string, number>()
  readonly #usages: { at: number; plan: number; purchased: number }[] = []

  constructor(name: 'own' | 'pool') {
    this.name = name
  }

  get plan(): number {
    return sum(this.months.map((month) => dueOf(month) - month.used - month.expired + month.written_off))
  }
  held(now: number, month?: PlanMonth): number {
    return sum(this.open(now).map((hold) => (month && hold.month !== month ? 0 : hold.credits)))
  }
  open(now: number): Promised[] {
    return this.holds.filter(({ end, expires }) => !end && now < expires)
  }
  /** Of months that are over, for their holds, or until the next task. */
  get kept(): number {
    return sum(this.months.map(({ kept }) => kept))
  }
  expiring(now: number): number {
    return sum(this.months.map((month) => Math.max(0, month.kept - this.held(now, month))))
  }
  available(now: number): number {
    return this.plan + this.purchased - this.held(now) - this.expiring(now)
  }
  get openMonth(): PlanMonth | undefined {
    return this.months.find(({ state }) => state === 'open')
  }

  /** What one request is answered, one rule after another. */
  decide(request: SpendRequest, hold: Promised | undefined): Said {
    const now = request.occurred_at.getTime()
    if (request.action === 'reserve') return this.#reserve(request, now)
    if (request.action === undefined || request.action === 'use') {
      const key = `${request.actor} ${request.idempotency_key}`
      const known = this.#keys.get(key)
      if (known !== undefined) return { outcome: known === request.credits ? 'replayed' : 'conflict' }
      if (!request.failure && this.available(now) < request.credits) return { outcome: 'refused' }
      this.#keys.set(key, request.credits)
      this.#take(request.credits, now)
      this.#count({ failed: request.credits === 0 })
      return { outcome: 'posted', charged: request.credits }
    }
    if (!hold || hold.person !== request.actor || !this.holds.includes(hold)) return { outcome: 'not_found' }
    const isExpired = !hold.end && hold.expires <= now
    switch (request.action) {
      case 'settle': {
        const { credits: cost, failure = '' } = request
        if (hold.end?.how === 'settled') {
          const isSame = hold.end.cost === cost && hold.end.failure === failure
          return { outcome: isSame ? 'replayed' : 'settled', charged: hold.end.charged }
        }
        if (hold.end) return { outcome: 'released' }
        if (isExpired && now > hold.expires + dayMs) return { outcome: 'expired' }
        hold.end = { how: 'settled', cost, failure, charged: 0, late: isExpired }
        const promised = isExpired ? 0 : Math.min(cost, hold.credits)
        this.#takePromised(hold, promised)
        const above = Math.max(0, Math.min(cost - promised, this.available(now)))
        this.#take(above, now)
        hold.end.charged = promised + above
        if (hold.end.charged > 0 || failure) this.#count({ failed: failure !== '' })
        return { outcome: 'posted', charged: hold.end.charged }
      }
      case 'release':
        if (hold.end) return { outcome: hold.end.how === 'released' ? 'replayed' : 'settled' }
        if (isExpired) return { outcome: 'expired' }
        hold.end = { how: 'released', cost: 0, failure: '', charged: 0, late: false }
        return { outcome: 'posted' }
      case 'extend':
        if (hold.end) return { outcome: hold.end.how }
        if (isExpired) return { outcome: 'expired' }
        hold.expires = Math.max(hold.expires, Math.min(now + request.lasting_s * 1000, hold.opened + dayMs))
        return { outcome: 'posted', expires: hold.expires }
    }
  }

  #reserve(request: SpendRequest & { action: 'reserve' }, now: number): Said {
    const { actor, idempotency_key: key, credits: asked, at_least = 0, lasting_s } = request
    const known = this.holds.find((hold) => hold.person === actor && hold.key === key)
    if (known) {
      const isSame = known.asked === asked && known.at_least === at_least
      return { outcome: isSame ? 'replayed' : 'conflict', held: known.credits }
    }
    const credits = Math.min(asked, this.available(now))
    if (credits < (at_least || asked)) return { outcome: 'refused' }
    const expires = now + lasting_s * 1000
    const made = { person: actor, payer: this.name, key, asked, at_least, credits, opened: now, expires }
    this.holds.push({ ...made, id: '', month: this.openMonth })
    return { outcome: 'posted', held: credits, expires }
  }

  #take(credits: number, at: number): void {
    const ofPlan = Math.min(Math.max(this.plan - this.kept, 0), credits)
    this.#write(at, { ofPlan, credits })
  }

  /**
   * Of a past month what is kept of it, then bought credits, then those of the new month; that one's go
   * first where it was opened in it.
   */
  #takePromised(hold: Promised, credits: number): void {
    const { month, opened } = hold
    if (month?.state !== 'kept') {
      this.#take(credits, opened)
      return
    }
    const ofMonth = Math.min(credits, month.kept, Math.max(this.plan, 0))
    const free = Math.max(this.plan - this.kept, 0)
    const isOfNew = this.openMonth !== undefined && opened >= this.openMonth.starts
    const bought = isOfNew ? 0 : Math.max(this.purchased, 0)
    const ofPlan = Math.min(free, Math.max(0, credits - ofMonth - bought))
    month.kept -= ofMonth
    month.used += ofMonth
    this.#write(opened, { ofPlan, ofMonth, credits })
  }

  #write(
    at: number,
    { ofPlan, ofMonth = 0, credits }: { ofPlan: number; ofMonth?: number; credits: number },
  ) {
    if (ofPlan > 0 && !this.openMonth) throw new Error('Credits of no month were used')
    if (this.openMonth) this.openMonth.used += ofPlan
    this.purchased -= credits - ofPlan - ofMonth
    this.counted.credits += credits
    this.#usages.push({ at, plan: ofPlan + ofMonth, purchased: credits - ofPlan - ofMonth })
  }

  #count({ failed }: { failed: boolean }): void {
    this.counted.requests++
    if (failed) this.counted.failed++
  }

  /** A month is paid for and heard: it pays for what was used and held since it began, as far as it goes. */
  beginMonth({ plan, starts, ends, now }: { plan: number; starts: number; ends: number; now: number }): void {
    const before = this.openMonth
    const debt = this.#debtBefore({ plan })
    const since = this.#usages.filter(({ at }) => at >= starts && at < ends)
    const returned = Math.min(sum(since.map(({ purchased }) => purchased)), Math.max(0, dueOfMonth - debt))
    const covered = Math.max(0, dueOfMonth - debt - returned)
    const moved = Math.min(sum(since.map((usage) => usage.plan)), covered, before?.used ?? 0)
    if (before) before.used -= moved
    this.purchased += returned
    const nothing = { back: 0, expired: 0, written_off: 0, kept: 0 }
    const month: PlanMonth = { plan, starts, ends, ...nothing, used: returned + moved, state: 'open' }
    const rests = new Map<Promised, number>()
    let room = covered - moved
    for (const hold of this.#inOrder(now)) {
      if (hold.opened < starts || hold.month?.state === 'kept') continue
      const taken = Math.min(hold.credits, room)
      room -= taken
      if (taken === hold.credits || !before) hold.month = month
      else rests.set(hold, hold.credits - taken)
    }
    if (before) this.#end(before, now, rests)
    this.months.push(month)
    this.ended = undefined
    this.compare(now)
  }

  endPlan({ at, now }: { at: number; now: number }): void {
    const month = this.openMonth
    if (month) this.#end(month, now)
    this.ended = at
    this.compare(now)
  }

  /** It keeps what its open holds may take of it. */
  #end(month: PlanMonth, now: number, rests: ReadonlyMap<Promised, number> = new Map()): void {
    const holds = this.open(now).filter((hold) => hold.month === month)
    const left = dueOf(month) - month.used - this.#debtBefore(month)
    const wanted = sum(holds.map((hold) => rests.get(hold) ?? hold.credits))
    month.state = holds.length > 0 ? 'kept' : 'closed'
    month.kept = Math.min(Math.max(0, left), wanted)
  }

  /** Closes months that nothing is held of any more; what is left pays debts, and the rest expires. */
  compare(now: number): void {
    for (const month of this.months) {
      if (month.state === 'kept' && this.held(now, month) === 0) month.state = 'closed'
      if (month.state === 'closed') month.kept = 0
    }
    for (const months of Map.groupBy(this.months, ({ plan }) => plan).values()) {
      let debt = 0
      for (const [index, month] of months.entries()) {
        const left = dueOf(month) - month.used - debt
        debt = Math.max(0, -left)
        const isLast = index === months.length - 1 && month.plan !== this.months.at(-1)?.plan
        month.expired = month.state === 'open' ? 0 : Math.max(0, left - month.kept)
        month.written_off = isLast ? debt : 0
      }
    }
  }

  /** Whether the task of each minute finds a month of it to close. */
  hasMonthToClose(now: number): boolean {
    return this.months.some((month) => month.state === 'kept' && this.held(now, month) === 0)
  }

  #debtBefore(month: { plan: number; starts?: number }): number {
    const { starts = Number.POSITIVE_INFINITY } = month
    return this.months
      .filter((other) => other.plan === month.plan && other.starts < starts)
      .reduce((debt, other) => Math.max(0, other.used + debt - dueOf(other)), 0)
  }

  #inOrder(now: number): Promised[] {
    return this.open(now).toSorted((a, b) => a.opened - b.opened || (a.id < b.id ? -1 : 1))
  }
}

function dueOf({ back }: PlanMonth): number {
  return dueOfMonth - Math.floor((dueOfMonth * back) / 100)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}
