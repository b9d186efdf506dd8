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
   * those that have to wait, which `together` does then. Asked first where there are several keys, so that
   * one that is locked holds up none of the others.
   */
  readonly withoutWaiting?: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
  /** Does them all or none, and says what became of each, in their order. */
  readonly together: (items: readonly Item[]) => Promise<readonly Result[]>
  /**
   * Does a single one. It is called for an item that came alone, and for each of those that failed together.
   * Left out, it is done as a batch of one.
   */
  readonly alone?: (item: Item) => Promise<Result>
  /**
   * Whether a failure is everybody's, such as a database that does not answer, so that trying them one by one
   * is no use.
   */
  readonly isShared: (error: unknown) => boolean
}

type Key = string | number

interface Waiting<Item, Result> {
  readonly key: Key
  readonly item: Item
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
 * others and not before them. A failure of one item is its own: they are tried one by one then.
 */
export function createBatches<Item, Result>({
  items_max,
  batches_max,
  keyOf,
  withoutWaiting,
  together,
  alone = async (item) => (await together([item]))[0] as Result,
  isShared,
}: BatchOptions<Item, Result>): (item: Item) => Promise<Result> {
  const waiting = new Map<Key, Waiting<Item, Result>[]>()
  const keysUnderWay = new Set<Key>()
  let count = 0
  let batches = 0
  let isPlanned = false

  /** At the end of this turn of the event loop, when everything that came in it is here. */
  function plan(): void {
    if (isPlanned || batches === batches_max) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      while (batches < batches_max) {
        const batch = take()
        if (batch.length === 0) return
        void send(batch)
      }
    })
  }

  /**
   * The next batch: of each key in turn an equal share, and what is left of a key goes to the end of the
   * line.
   */
  function take(): Waiting<Item, Result>[] {
    const keys: Key[] = []
    for (const key of waiting.keys()) {
      if (keys.length === items_max) break
      if (!keysUnderWay.has(key)) keys.push(key)
    }
    const share = Math.floor(items_max / Math.max(1, keys.length))
    return keys.flatMap((key) => {
      const ofKey = waiting.get(key) ?? []
      waiting.delete(key)
      if (ofKey.length > share) waiting.set(key, ofKey.slice(share))
      return ofKey.slice(0, share)
    })
  }

  async function send(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    batches += 1
    let keys: ReadonlySet<Key> = keysOf(batch)
    for (const key of keys) keysUnderWay.add(key)
    try {
      let left = batch
      if (withoutWaiting && keys.size > 1) {
        left = await settleUnlocked(batch, withoutWaiting)
        const keysLeft = keysOf(left)
        release([...keys].filter((key) => !keysLeft.has(key)))
        keys = keysLeft
      }
      await settle(left)
    } catch (error) {
      for (const one of batch) one.reject(error)
    }
    batches -= 1
    release(keys)
  }

  function release(keys: Iterable<Key>): void {
    for (const key of keys) keysUnderWay.delete(key)
    if (waiting.size > 0) plan()
  }

  /** Returns those that have to wait. */
  async function settleUnlocked(
    batch: readonly Waiting<Item, Result>[],
    work: NonNullable<typeof withoutWaiting>,
  ): Promise<readonly Waiting<Item, Result>[]> {
    const results = await tryTogether(batch, work)
    return batch.filter((one, index) => {
      const result = results?.[index]
      if (result !== undefined) one.resolve(result)
      return result === undefined
    })
  }

  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const results = batch.length > 1 ? await tryTogether(batch, together) : undefined
    if (results) {
      for (const [index, one] of batch.entries()) one.resolve(results[index] as Result)
      return
    }
    await Promise.all(
      batch.map((one) => one.inItsContext(() => alone(one.item)).then(one.resolve, one.reject)),
    )
  }

  /** Undefined when it failed because of one of them. Throws a failure that is everybody's. */
  async function tryTogether<Results>(
    batch: readonly Waiting<Item, Result>[],
    work: (items: readonly Item[]) => Promise<Results>,
  ): Promise<Results | undefined> {
    const [first] = batch
    try {
      return await first?.inItsContext(() => work(batch.map(({ item }) => item)))
    } catch (error) {
      if (isShared(error)) throw error
      return undefined
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf?.(item) ?? count++
      const one = {
        key,
        item,
        inItsContext: currentSpan() ? AsyncLocalStorage.snapshot() : anyContext,
        resolve,
        reject,
      }
      const ofKey = waiting.get(key)
      if (ofKey) ofKey.push(one)
      else waiting.set(key, [one])
      plan()
    })
}

function keysOf<Item, Result>(batch: readonly Waiting<Item, Result>[]): Set<Key> {
  return new Set(batch.map(({ key }) => key))
}
