/** Rows of one kind, by id, in the order in which they were added. */
export class Collection<Row extends { id: string }> {
  readonly #rows = new Map<string, Row>()

  get(id: string | null | undefined): Row | undefined {
    return id ? this.#rows.get(id) : undefined
  }

  add(row: Row): Row {
    this.#rows.set(row.id, row)
    return row
  }

  delete(id: string): void {
    this.#rows.delete(id)
  }

  find(matches: (row: Row) => boolean): Row | undefined {
    for (const row of this.#rows.values()) if (matches(row)) return row
    return undefined
  }

  filter(matches: (row: Row) => boolean): Row[] {
    return [...this.#rows.values()].filter(matches)
  }

  deleteWhere(matches: (row: Row) => boolean): void {
    for (const row of this.filter(matches)) this.#rows.delete(row.id)
  }

  /** Drops the oldest of the matching rows until `keep` of them are left. */
  trim(keep: number, matches: (row: Row) => boolean = () => true): void {
    const found = this.filter(matches)
    for (const row of found.slice(0, Math.max(0, found.length - keep))) this.#rows.delete(row.id)
  }

  clear(): void {
    this.#rows.clear()
  }

  get size(): number {
    return this.#rows.size
  }

  toArray(): Row[] {
    return [...this.#rows.values()]
  }

  load(rows: readonly Row[]): void {
    this.#rows.clear()
    for (const row of rows) this.#rows.set(row.id, row)
  }
}
