import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, type PostgresCursor, type RawBuilder, type Transaction } from 'kysely'
import type pg from 'pg'
import type { DB } from './types.ts'

/**
 * Receives what a query finds in Postgres's binary COPY format, some rows at a time: buffers that end where a row ends, for `BinaryRows`. There is
 * no object for each row and no text for each value, and Postgres waits while nobody reads on. COPY takes no parameters: values are
 * written into the query (`sql.lit`).
 */
export async function* copyOut(
  trx: Transaction<DB>,
  query: RawBuilder<unknown>,
): AsyncGenerator<Buffer, void, void> {
  const { sql } = query.compile(trx)
  const copy = CompiledQuery.raw(`COPY (${sql}) TO STDOUT (FORMAT binary)`)
  for await (const { rows } of trx.getExecutor().stream<Buffer>(copy, 1)) yield* rows
}

const bufferSize = 256 * 1024
/** So many filled buffers wait for their reader. */
const waitingBuffers = 4

/**
 * What pg asks of a query of one's own, and Kysely of a cursor. The protocol sends each row in a message of its own, whose bytes pg uses again
 * once it was handled.
 */
export class CopyOut<T> implements PostgresCursor<T>, pg.Submittable {
  readonly #copy: string
  readonly #filled: Buffer[] = []
  #buffer = Buffer.allocUnsafe(bufferSize)
  #end = 0
  #connection: pg.Connection | null = null
  #error: Error | null = null
  #state: 'receiving' | 'ended' | 'closed' = 'receiving'
  #waiting = Promise.withResolvers<void>()

  constructor(copy: string) {
    if (!copy.startsWith('COPY ')) throw new Error('Only COPY … TO STDOUT is streamed')
    this.#copy = copy
  }

  /** One filled buffer, or none at the end. */
  async read(): Promise<T[]> {
    // Whoever reads for long never waits when Postgres is faster. What other connections received has its turn all the same.
    if (this.#filled.length > 0) await setImmediate()
    while (this.#filled.length === 0 && this.#state === 'receiving') await this.#waiting.promise
    const buffer = this.#filled.shift()
    if (this.#filled.length < waitingBuffers) this.#connection?.stream.resume()
    if (buffer) return [buffer as T]
    if (this.#error) throw this.#error
    return []
  }

  /** Whoever stops earlier waits until Postgres has sent the rest: the connection is good again then. */
  async close(): Promise<void> {
    if (this.#state === 'ended') return
    this.#state = 'closed'
    this.#connection?.stream.resume()
    while (this.#state === 'closed') await this.#waiting.promise
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection
    connection.query(this.#copy)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.#state !== 'receiving') return
    if (this.#end + chunk.length > this.#buffer.length) this.#handOver(chunk.length)
    this.#end += chunk.copy(this.#buffer, this.#end)
  }

  handleCommandComplete(): void {
    this.#handOver(0)
  }

  handleError(error: Error): void {
    this.#error = error
    this.handleReadyForQuery()
  }

  handleReadyForQuery(): void {
    this.#state = 'ended'
    this.#wake()
  }

  #handOver(needed: number): void {
    if (this.#end > 0) this.#filled.push(this.#buffer.subarray(0, this.#end))
    this.#buffer = Buffer.allocUnsafe(Math.max(bufferSize, needed))
    this.#end = 0
    if (this.#filled.length >= waitingBuffers) this.#connection?.stream.pause()
    this.#wake()
  }

  #wake(): void {
    this.#waiting.resolve()
    this.#waiting = Promise.withResolvers()
  }
}
