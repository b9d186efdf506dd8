/**
 * Reads rows of Postgres's binary COPY format where they lie, one after the other (https://www.postgresql.org/docs/18/sql-copy.html, “Binary
 * Format”). Values are asked for by the number of their column, in the row that it stands on.
 */
export class BinaryRows {
  /** What was received last, and in which the row lies. */
  bytes: Buffer = Buffer.alloc(0)
  readonly #batches: AsyncIterator<Buffer>
  #upcoming: Promise<IteratorResult<Buffer>>
  readonly #starts: Int32Array
  /** Of the values; -1 for null. */
  readonly #lengths: Int32Array
  readonly #texts: string[] = []
  #view: DataView = new DataView(this.bytes.buffer)
  #first = 0
  #next = 0
  #hasHeader = true

  constructor(batches: AsyncIterator<Buffer>, columns: number) {
    this.#batches = batches
    this.#upcoming = this.#ask()
    this.#starts = new Int32Array(columns)
    this.#lengths = new Int32Array(columns)
  }

  /** Goes to the next row that was received; false when more have to be. */
  next(): boolean {
    if (this.#next >= this.bytes.length) return false
    const columns = this.#view.getInt16(this.#next)
    if (columns === -1) {
      this.#next = this.bytes.length
      return false
    }
    if (columns !== this.#starts.length) throw new Error(`A row has ${columns} columns`)
    let at = this.#next + 2
    for (let column = 0; column < columns; column++) {
      const length = this.#view.getInt32(at)
      at += 4
      this.#starts[column] = at
      this.#lengths[column] = length
      if (length > 0) at += length
    }
    this.#next = at
    return true
  }

  /** Receives more rows; false at their end. */
  async receive(): Promise<boolean> {
    const { done, value } = await this.#upcoming
    if (done) return false
    this.#upcoming = this.#ask()
    this.bytes = value
    this.#view = new DataView(value.buffer, value.byteOffset, value.byteLength)
    this.#first = this.#hasHeader ? this.#endOfHeader() : 0
    this.#hasHeader = false
    this.#next = this.#first
    return true
  }

  /** Goes back before the first row of what was received last. */
  rewind(): void {
    this.#next = this.#first
  }

  /** Stops before the end. */
  async close(): Promise<void> {
    await this.#batches.return?.()
  }

  isNull(column: number): boolean {
    return this.length(column) < 0
  }

  /** A smallint, integer or bigint, or a time as microseconds since 2000. One that does not fit is an error, not a rounding. */
  integer(column: number): number {
    const start = this.start(column)
    switch (this.length(column)) {
      case 2:
        return this.#view.getInt16(start)
      case 4:
        return this.#view.getInt32(start)
      case 8: {
        const value = this.#view.getInt32(start) * 2 ** 32 + this.#view.getUint32(start + 4)
        if (!Number.isSafeInteger(value)) throw new RangeError(`${value} does not fit a JavaScript number`)
        return value
      }
      default:
        throw new Error(`Column ${column} is no integer`)
    }
  }

  integerOrNull(column: number): number | null {
    return this.isNull(column) ? null : this.integer(column)
  }

  boolean(column: number): boolean {
    return this.bytes[this.start(column)] === 1
  }

  /** The same text often follows itself, and is made once then. */
  text(column: number): string {
    const start = this.start(column)
    const end = this.end(column)
    const last = this.#texts[column]
    if (last !== undefined && this.#isAscii(last, start, end)) return last
    const text = this.bytes.toString('utf8', start, end)
    this.#texts[column] = text
    return text
  }

  /** Whether it is this text; makes none. */
  isText(column: number, text: string): boolean {
    const start = this.start(column)
    return this.#isAscii(text, start, this.end(column)) || this.text(column) === text
  }

  /** Whether a text of ASCII is its beginning. */
  startsWith(column: number, text: string): boolean {
    const start = this.start(column)
    return this.length(column) >= text.length && this.#isAscii(text, start, start + text.length)
  }

  /** Whether it has the bytes of a value of other rows. */
  isSame(column: number, other: BinaryRows, otherColumn: number): boolean {
    const length = this.length(column)
    if (length !== other.length(otherColumn)) return false
    const start = this.start(column)
    const otherStart = other.start(otherColumn)
    for (let at = 0; at < length; at++) {
      if (this.bytes[start + at] !== other.bytes[otherStart + at]) return false
    }
    return true
  }

  textOrNull(column: number): string | null {
    return this.isNull(column) ? null : this.text(column)
  }

  hex(column: number): string {
    return this.bytes.toString('hex', this.start(column), this.end(column))
  }

  /** Where a value lies in `bytes`. */
  start(column: number): number {
    return this.#starts[column] ?? 0
  }

  end(column: number): number {
    return this.start(column) + this.length(column)
  }

  length(column: number): number {
    return this.#lengths[column] ?? -1
  }

  /** Before it is needed: whoever sends goes on while this is read. An error is thrown to who receives. */
  #ask(): Promise<IteratorResult<Buffer>> {
    const upcoming = this.#batches.next()
    upcoming.catch(() => undefined)
    return upcoming
  }

  #isAscii(text: string, start: number, end: number): boolean {
    if (text.length !== end - start) return false
    for (let at = start; at < end; at++) {
      const byte = this.bytes[at] ?? 0
      if (byte > 0x7f || byte !== text.charCodeAt(at - start)) return false
    }
    return true
  }

  #endOfHeader(): number {
    if (this.bytes.toString('latin1', 0, 11) !== 'PGCOPY\n\xff\r\n\0') {
      throw new Error('This is not the binary format of COPY')
    }
    return 19 + this.#view.getInt32(15)
  }
}
