import type { BinaryRows } from '../../database/binary-rows.ts'

const hexDigits = Buffer.from('0123456789abcdef')
const nothing = Buffer.from('null')
const [quote, backslash, comma, space, hyphen, zero] = [0x22, 0x5c, 0x2c, 0x20, 0x2d, 0x30]
/** Where the hyphens of a UUID are, in bytes. */
const hyphensBefore = [4, 6, 8, 10]

/** Writes an array as Postgres prints it as JSON, into one buffer. Values come from where they were received, text as it is: both are UTF-8. */
export class JsonArray {
  #bytes: Buffer = Buffer.alloc(4096)
  #end = 0

  begin(): void {
    this.#bytes[0] = 0x5b
    this.#end = 1
  }

  /** What was written, until somebody begins again. */
  finish(): Buffer {
    this.#bytes[this.#end++] = 0x5d
    return this.#bytes.subarray(0, this.#end)
  }

  /** A whole number. */
  addNumber(value: number): void {
    this.#separate(20)
    if (value < 0) this.#bytes[this.#end++] = hyphen
    // In parts that are small integers, which are divided fast; most numbers here are times of two such parts.
    const rest = Math.abs(value)
    const high = Math.floor(rest / 1e8)
    const highest = Math.floor(high / 1e8)
    if (highest > 0) this.#addDigits(highest, 1)
    if (high > 0) this.#addDigits(high - highest * 1e8, highest > 0 ? 8 : 1)
    this.#addDigits(rest - high * 1e8, high > 0 ? 8 : 1)
  }

  addText(rows: BinaryRows, column: number): void {
    if (this.#addedNull(rows, column)) return
    const length = rows.length(column)
    this.#separate(length + 2)
    const { bytes } = rows
    const start = rows.start(column)
    const end = start + length
    let to = this.#end
    this.#bytes[to++] = quote
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0
      if (byte < space || byte === quote || byte === backslash) {
        this.#addEscaped(rows.text(column))
        return
      }
      this.#bytes[to++] = byte
    }
    this.#bytes[to++] = quote
    this.#end = to
  }

  addHex(rows: BinaryRows, column: number): void {
    if (this.#addedNull(rows, column)) return
    this.#separate(2 * rows.length(column) + 2)
    this.#bytes[this.#end++] = quote
    this.#writeHex(rows.bytes, rows.start(column), rows.end(column))
    this.#bytes[this.#end++] = quote
  }

  addUuid(rows: BinaryRows, column: number): void {
    if (this.#addedNull(rows, column)) return
    this.#separate(38)
    this.#bytes[this.#end++] = quote
    let start = rows.start(column)
    for (const before of hyphensBefore) {
      const end = rows.start(column) + before
      this.#writeHex(rows.bytes, start, end)
      this.#bytes[this.#end++] = hyphen
      start = end
    }
    this.#writeHex(rows.bytes, start, rows.end(column))
    this.#bytes[this.#end++] = quote
  }

  #addDigits(value: number, atLeast: number): void {
    let count = atLeast
    for (let power = 10 ** atLeast; power <= value; power *= 10) count++
    this.#end += count
    let rest = value | 0
    for (let at = this.#end - 1; at >= this.#end - count; at--) {
      const next = (rest / 10) | 0
      this.#bytes[at] = zero + rest - 10 * next
      rest = next
    }
  }

  /** Makes room for a value of so many bytes, and separates it from what is before it. */
  #separate(bytes: number): void {
    this.#makeRoom(bytes)
    if (this.#end === 1) return
    this.#bytes[this.#end++] = comma
    this.#bytes[this.#end++] = space
  }

  #addedNull(rows: BinaryRows, column: number): boolean {
    if (!rows.isNull(column)) return false
    this.#separate(nothing.length)
    this.#end += nothing.copy(this.#bytes, this.#end)
    return true
  }

  /** After the separator, which is there already. */
  #addEscaped(text: string): void {
    const escaped = Buffer.from(JSON.stringify(text))
    this.#makeRoom(escaped.length)
    this.#end += escaped.copy(this.#bytes, this.#end)
  }

  /** For so many bytes, a separator and the end. */
  #makeRoom(bytes: number): void {
    const needed = this.#end + bytes + 3
    if (needed <= this.#bytes.length) return
    const larger = Buffer.alloc(2 * needed)
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }

  #writeHex(from: Buffer, start: number, end: number): void {
    let to = this.#end
    for (let at = start; at < end; at++) {
      const byte = from[at] ?? 0
      this.#bytes[to++] = hexDigits[byte >> 4] ?? 0
      this.#bytes[to++] = hexDigits[byte & 15] ?? 0
    }
    this.#end = to
  }
}
