import { AsyncLocalStorage } from 'node:async_hooks'
import { currentSpan } from './tracing.ts'

/** How what many callers ask for at the same moment is done in one go. */
export interface BatchOptions<Item, Result> {
  readonly items_max: number
  /** So many batches may be under way at once. */
  readonly batches_max: number
  /**
   * Items of one key are never in two batches at once, so one that waits for the locks of a key holds up no
   * other batch. Left out, they have nothing in common.
   */
  readonly keyOf?: (item: Item) => string
  /**
   * Does those that need not wait for a lock, and says what became of each, in their order: undefined for
   * those that have to wait, which are done after it. Asked first where there are several keys, so that one
   * that is locked holds up none of the others.
   */
  readonly withoutWaiting?: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
  /**
   * Whether a failure concerns every item, such as a database that does not answer, so that trying them one
   * by one is no use.
   */
  readonly isShared: (error: unknown) => boolean
}

/** Does a batch of one or several, all or none, and says what became of each, in their order. */
export type BatchWork<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

type Key = string | number

interface Waiting<Item, Result> {
  readonly key: Key
  readonly item: Item
  readonly work: BatchWork<Item, Result>
  /** In the span of the caller, so that a trace leads on to what was done for it. */
  readonly inItsContext: <T>(work: () => T) => T
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Where spans are not collected there is nothing to lead on to. */
const anyContext = <T>(work: () => T): T => work()

/**
 * Collects what comes while other batches are under way and does it together: the busier, the more at once,
 * and no item waits for others to come. Keys take turns, so a caller who asks for a lot is served beside
 * others and not before them. When a batch fails, each of its items is done as a batch of one, by the same
 * work, so that a failure of one item is its own.
 */
export class Batches<Item, Result> {
  readonly #options: BatchOptions<Item, Result>
  readonly #waiting = new Map<Key, Waiting<Item, Result>[]>()
  readonly #keysUnderWay = new Set<Key>()
  #count = 0
  #batches = 0
  #isPlanned = false

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options
  }

  /**
   * Does `work` with this item and those that are asked for at the same moment, and says what became of this
   * one. All callers pass the same work: it is the caller's to name, so that its code says what is done.
   */
  run(item: Item, work: BatchWork<Item, Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const key = this.#options.keyOf?.(item) ?? this.#count++
      const inItsContext = currentSpan() ? AsyncLocalStorage.snapshot() : anyContext
      const one = { key, item, work, inItsContext, resolve, reject }
      const ofKey = this.#waiting.get(key)
      if (ofKey) ofKey.push(one)
      else this.#waiting.set(key, [one])
      this.#plan()
    })
  }

  /** At the end of this turn of the event loop, when everything that came in it is here. */
  #plan(): void {
    if (this.#isPlanned || this.#batches === this.#options.batches_max) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      while (this.#batches < this.#options.batches_max) {
        const batch = this.#take()
        if (batch.length === 0) return
        void this.#send(batch)
      }
    })
  }

  /**
   * The next batch: of each key in turn an equal share, and what is left of a key goes to the end of the
   * line.
   */
  #take(): Waiting<Item, Result>[] {
    const { items_max } = this.#options
    const keys: Key[] = []
    for (const key of this.#waiting.keys()) {
      if (keys.length === items_max) break
      if (!this.#keysUnderWay.has(key)) keys.push(key)
    }
    const share = Math.floor(items_max / Math.max(1, keys.length))
    return keys.flatMap((key) => {
      const ofKey = this.#waiting.get(key) ?? []
      this.#waiting.delete(key)
      if (ofKey.length > share) this.#waiting.set(key, ofKey.slice(share))
      return ofKey.slice(0, share)
    })
  }

  async #send(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const { withoutWaiting } = this.#options
    this.#batches += 1
    let keys: ReadonlySet<Key> = keysOf(batch)
    for (const key of keys) this.#keysUnderWay.add(key)
    try {
      let left = batch
      if (withoutWaiting && keys.size > 1) {
        left = await this.#settleUnlocked(batch, withoutWaiting)
        const keysLeft = keysOf(left)
        this.#release([...keys].filter((key) => !keysLeft.has(key)))
        keys = keysLeft
      }
      await this.#settle(left)
    } catch (error) {
      for (const one of batch) one.reject(error)
    }
    this.#batches -= 1
    this.#release(keys)
  }

  #release(keys: Iterable<Key>): void {
    for (const key of keys) this.#keysUnderWay.delete(key)
    if (this.#waiting.size > 0) this.#plan()
  }

  /** Returns those that have to wait. */
  async #settleUnlocked(
    batch: readonly Waiting<Item, Result>[],
    withoutWaiting: NonNullable<BatchOptions<Item, Result>['withoutWaiting']>,
  ): Promise<readonly Waiting<Item, Result>[]> {
    const results = await this.#tryTogether(batch, withoutWaiting)
    return batch.filter((one, index) => {
      const result = results?.[index]
      if (result !== undefined) one.resolve(result)
      return result === undefined
    })
  }

  async #settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const [first, ...others] = batch
    const results = first && others.length > 0 ? await this.#tryTogether(batch, first.work) : undefined
    if (results) {
      for (const [index, one] of batch.entries()) one.resolve(results[index] as Result)
      return
    }
    await Promise.all(
      batch.map(({ inItsContext, work, item, resolve, reject }) =>
        inItsContext(async () => work([item])).then(([result]) => resolve(result as Result), reject),
      ),
    )
  }

  /** Undefined when it failed because of one of them. Throws a failure that concerns every item. */
  async #tryTogether<Results>(
    batch: readonly Waiting<Item, Result>[],
    work: (items: readonly Item[]) => Promise<Results>,
  ): Promise<Results | undefined> {
    const [first] = batch
    try {
      return await first?.inItsContext(() => work(batch.map(({ item }) => item)))
    } catch (error) {
      if (this.#options.isShared(error)) throw error
      return undefined
    }
  }
}

function keysOf<Item, Result>(batch: readonly Waiting<Item, Result>[]): Set<Key> {
  return new Set(batch.map(({ key }) => key))
}
