import type { Bench, Line } from './row.ts'

/** Measures for about so many seconds and returns what came out, mostly one figure. */
export type Side<Figure = number> = (seconds: number) => Promise<Figure>

const warmUpSeconds = 0.6

/**
 * Lets all sides measure in turns, each round begun by the next one, A B B A …, and returns the figures of
 * each in the order of the rounds. What slows the machine down for a while slows down both, so that the
 * figures of one round may be compared, and no side always follows the same one, whose vacuums and writes go
 * on for a while. A first round, which does not count, warms everything up.
 */
export async function takeTurns<Figure, Name extends string>(
  { pairs, seconds }: Pick<Bench, 'pairs' | 'seconds'>,
  sides: Readonly<Record<Name, Side<Figure>>>,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(sides) as Name[]
  const figures = Object.fromEntries(names.map((name) => [name, [] as Figure[]])) as Record<Name, Figure[]>
  for (const name of names) await sides[name](Math.min(warmUpSeconds, seconds))
  for (let pair = 0; pair < pairs; pair++) {
    const first = pair % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      figures[name].push(await sides[name](seconds))
  }
  return figures
}

export interface Comparison {
  readonly measured: number
  readonly floor: number | null
  /** The median of the rounds' ratios, and the lowest and highest of them. */
  readonly ratio: number | null
  readonly spread: readonly [number, number] | null
  /** Null where nothing has to be reached. */
  readonly reached: boolean | null
}

export function compare({
  measured,
  floor,
  target,
}: Pick<Line, 'measured' | 'floor' | 'target'>): Comparison {
  if (floor === null) {
    return { measured: median(measured), floor: null, ratio: null, spread: null, reached: null }
  }
  const ratios = measured.map((figure, pair) => figure / (floor[pair] ?? Number.NaN))
  const ratio = median(ratios)
  const isReached = target && ('at_least' in target ? ratio >= target.at_least : ratio <= target.at_most)
  return {
    measured: median(measured),
    floor: median(floor),
    ratio,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    reached: isReached,
  }
}

function median(figures: readonly number[]): number {
  return percentile(figures, 0.5)
}

/** `share` of the figures are at most this; between two figures it lies between them. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}
