import { isLong } from '../support/long.ts'

/**
 * The seed of the histories: fixed in `npm test`, so that a red run means that a change broke something, and
 * random in `npm run test:long`, which searches. SIMULATION_SEED repeats a reported one.
 */
export const seed = Number(process.env.SIMULATION_SEED ?? (isLong ? Date.now() % 2 ** 31 : 20_261_120))

/** How many histories on each queue backend; SIMULATION_RUNS asks for more. */
export function numRuns(usual: { readonly short: number; readonly long: number }): number {
  return Number(process.env.SIMULATION_RUNS || (isLong ? usual.long : usual.short))
}

/** How long a difference may last. A search for failures sets it lower. */
export const patience_ms = Number(process.env.SIMULATION_PATIENCE_MS || 30_000)

/**
 * How many days it is until the first history begins: on the coming day of the year that is given, such as
 * `12-28`. Every history begins where the one before has ended. SIMULATION_STARTS_ON names another date, in
 * the future.
 */
export function daysUntilStart(dayOfYear: string, now = new Date()): number {
  const thisYear = now.getUTCFullYear()
  const [start = Number.NaN] = [
    process.env.SIMULATION_STARTS_ON ?? `${thisYear}-${dayOfYear}`,
    `${thisYear + 1}-${dayOfYear}`,
  ]
    .map((date) => Date.parse(`${date}T12:00:00Z`))
    .filter((at) => at > now.getTime())
  return (start - now.getTime()) / 86_400_000
}
