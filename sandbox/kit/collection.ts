/** An in-memory table in creation order that reports each change. Rows are replaced, never mutated. */
export class Collection<Row extends { id: string }> {
  readonly #positions = new Map<string, number>()
  readonly #rows: (Row | undefined)[] = []
  readonly #onChange: (id: string, row: Row | null) => void

  constructor(onChange: (id: string, row: Row | null) => void) {
    this.#onChange = onChange
  }

  get size(): number {
    return this.#positions.size
  }

  get(id: string | null | undefined): Row | undefined {
    const position = this.#positions.get(id ?? '')
    return position === undefined ? undefined : this.#rows[position]
  }

  put(row: Row): Row {
    const position = this.#positions.get(row.id) ?? this.#rows.length
    this.#positions.set(row.id, position)
    this.#rows[position] = row
    this.#onChange(row.id, row)
    return row
  }

  remove(id: string): void {
    const position = this.#positions.get(id)
    if (position === undefined) return
    this.#positions.delete(id)
    this.#rows[position] = undefined
    this.#onChange(id, null)
  }

  removeWhere(matches: (row: Row) => boolean): void {
    for (const { id } of this.filter(matches)) this.remove(id)
  }

  /** Removes the oldest matching rows until `keep` are left, and returns them. */
  trim(keep: number, matches: (row: Row) => boolean = () => true): Row[] {
    const found = this.filter(matches)
    const removed = found.slice(0, Math.max(0, found.length - keep))
    for (const { id } of removed) this.remove(id)
    return removed
  }

  find(matches: (row: Row) => boolean): Row | undefined {
    for (const row of this.oldestFirst()) if (matches(row)) return row
    return undefined
  }

  filter(matches: (row: Row) => boolean): Row[] {
    return [...this.oldestFirst()].filter(matches)
  }

  *oldestFirst(): Generator<Row> {
    for (const row of this.#rows) if (row) yield row
  }

  /** In the reverse order of creation, from before `startingAfter` on. */
  *newestFirst(startingAfter?: string): Generator<Row> {
    const start = startingAfter === undefined ? this.#rows.length : (this.#positions.get(startingAfter) ?? 0)
    for (let position = start - 1; position >= 0; position--) {
      const row = this.#rows[position]
      if (row) yield row
    }
  }
}
