/** Choices that a seed decides. */
export interface Random {
  /** From 0 to 1. */
  next(): number
  /** Both ends included. */
  int(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T
  /** An independent sequence by name, unaffected by other draws. */
  fork(name: string): Random
}

/** mulberry32: short, and good enough to choose by. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (choices) => {
      const [choice] = choices.slice(int(0, choices.length - 1))
      if (choice === undefined) throw new Error('There is nothing to choose from')
      return choice
    },
    weighted(choices) {
      let left = next() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, choice] of choices) {
        left -= weight
        if (left < 0) return choice
      }
      throw new Error('There is nothing to choose from')
    },
    fork: (name) => createRandom(hash(`${seed}/${name}`)),
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 0x01000193)
  return value >>> 0
}
