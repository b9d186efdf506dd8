export type Collection<T extends { id: string }> = {
  get(id: string): T | undefined
  put(value: T): T
  remove(id: string): void
  /** In the order of creation. */
  oldestFirst(): Generator<T>
  /** In the reverse order of creation, from before `startingAfter` on: how Stripe lists everything. */
  newestFirst(startingAfter?: string): Generator<T>
  /** Towards the newer ones from after `endingBefore` on: a page back. */
  newerThan(endingBefore: string): Generator<T>
}

/** A table in memory that keeps the order of creation and reports each change. Values are replaced, never mutated. */
export function createCollection<T extends { id: string }>(
  onChange: (id: string, value: T | null) => void,
): Collection<T> {
  const positions = new Map<string, number>()
  const values: (T | undefined)[] = []

  return {
    get(id) {
      const position = positions.get(id)
      return position === undefined ? undefined : values[position]
    },

    put(value) {
      const position = positions.get(value.id) ?? values.length
      positions.set(value.id, position)
      values[position] = value
      onChange(value.id, value)
      return value
    },

    remove(id) {
      const position = positions.get(id)
      if (position === undefined) return
      positions.delete(id)
      values[position] = undefined
      onChange(id, null)
    },

    *oldestFirst() {
      for (const value of values) if (value) yield value
    },

    *newestFirst(startingAfter) {
      const start = startingAfter === undefined ? values.length : (positions.get(startingAfter) ?? 0)
      for (let position = start - 1; position >= 0; position--) {
        const value = values[position]
        if (value) yield value
      }
    },

    *newerThan(endingBefore) {
      const start = positions.get(endingBefore) ?? values.length
      for (let position = start + 1; position < values.length; position++) {
        const value = values[position]
        if (value) yield value
      }
    },
  }
}
