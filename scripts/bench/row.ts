import type { Machine } from './machine.ts'

/** A group of measurements that is asked for by name: `npm run bench -- accept`. */
export interface Row {
  readonly name: string
  /** For a reader who does not know the row. */
  readonly about: string
  measure(bench: Bench): Promise<Line[]>
}

/** What a row may use. */
export interface Bench {
  readonly machine: Machine
  /** How often each side has its turn, and for how long. */
  readonly pairs: number
  readonly seconds: number
  /** Over how many connections transfers are posted. */
  readonly connections: number
  /** Takes the sizes that the targets name, however long that takes. */
  readonly isFull: boolean
  say(message: string): void
}

/** One line of the table: what each pair of turns gave. */
export interface Line {
  readonly row: string
  readonly what: string
  readonly unit: string
  readonly measured: readonly number[]
  /** The same number of figures; null where there is nothing to compare with. */
  readonly floor: readonly number[] | null
  /** Of the measured figure over the floor's; null where it is only reported. */
  readonly target: Target | null
  /** What a reader has to know to read the figures. */
  readonly note?: string
}

export type Target = { readonly at_least: number } | { readonly at_most: number }
