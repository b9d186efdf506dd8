import type { EmbeddedPrice } from '../state.ts'

export type Recurrence = { interval: 'day' | 'month' | 'week' | 'year'; interval_count: number }

const day_s = 24 * 60 * 60

/** The first end of a billing period after a moment, counted from the anchor. */
export function nextBoundary(anchor: number, recurrence: Recurrence, after: number): number {
  const longest_s = longestInterval(recurrence)
  // Never too far, because no interval is longer; the few steps that may be missing follow.
  let count = Math.max(0, Math.floor((after - anchor) / longest_s))
  while (boundary(anchor, recurrence, count) <= after) count++
  return boundary(anchor, recurrence, count)
}

/** The anchor plus so many intervals, in UTC. Short months end on their last day: 31 Jan, 28 Feb, 31 Mar. */
function boundary(anchor: number, { interval, interval_count }: Recurrence, count: number): number {
  const steps = count * interval_count
  if (interval === 'day') return anchor + steps * day_s
  if (interval === 'week') return anchor + steps * 7 * day_s
  const start = new Date(anchor * 1000)
  const months = steps * (interval === 'year' ? 12 : 1)
  const month = start.getUTCMonth() + months
  const last_day = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const moved = new Date(start)
  moved.setUTCFullYear(start.getUTCFullYear(), month, Math.min(start.getUTCDate(), last_day))
  return Math.floor(moved.getTime() / 1000)
}

function longestInterval({ interval, interval_count }: Recurrence): number {
  const days = { day: 1, week: 7, month: 31, year: 366 }[interval]
  return days * interval_count * day_s
}

export function recurrenceOf({ id, recurring }: Pick<EmbeddedPrice, 'id' | 'recurring'>): Recurrence {
  if (!recurring) throw new Error(`Price ${id} does not recur.`)
  return {
    interval: recurring.interval as Recurrence['interval'],
    interval_count: recurring.interval_count,
  }
}

export function isSameRecurrence(one: Recurrence, other: Recurrence): boolean {
  return one.interval === other.interval && one.interval_count === other.interval_count
}

export type Period = { start: number; end: number }

/** The share of a whole period's amount that falls after a moment, to the second; whole minor units. */
export function shareAfter(
  amount: number,
  { start, end, at }: { start: number; end: number; at: number },
): number {
  if (end <= start) return 0
  return Math.round((amount * (end - Math.min(Math.max(at, start), end))) / (end - start))
}
