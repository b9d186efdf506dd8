import { expect, test } from 'vitest'
import { Batches, type BatchOptions, type BatchWork } from './batches.ts'

interface Item {
  readonly key: string
  readonly n: number
}

type Options = Partial<BatchOptions<Item, string>> & { readonly work?: BatchWork<Item, string> }

/** Batches that end when the test says so; `sent` are those that have begun. */
function startBatches({ work, ...options }: Options = {}) {
  const sent: { readonly ns: readonly number[]; end(): void; fail(error: Error): void }[] = []
  const begin = (items: readonly Item[]) =>
    new Promise<void>((resolve, reject) => {
      sent.push({ ns: items.map(({ n }) => n), end: resolve, fail: reject })
    })
  const batches = new Batches<Item, string>({
    items_max: 10,
    batches_max: 1,
    keyOf: ({ key }) => key,
    isShared: () => false,
    ...options,
  })
  const answer: BatchWork<Item, string> = async (items) => {
    await begin(items)
    return items.map(({ n }) => `${n} among ${items.length}`)
  }
  const send = (item: Item) => batches.run(item, work ?? answer)
  /** Until everything that can begin has begun. */
  const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  return { send, sent, turn, begun: () => sent.map(({ ns }) => ns) }
}
const item = (n: number, key = `key ${n}`): Item => ({ key, n })

test('an item that comes alone goes at once as a batch of one', async () => {
  const { send, sent, turn } = startBatches()
  const answer = send(item(1))
  await turn()
  sent[0]?.end()
  expect(await answer).toBe('1 among 1')
})

test('what comes at the same moment, or while a batch is under way, goes together, and each gets its own answer', async () => {
  const { send, sent, turn, begun } = startBatches()
  const first = [1, 2].map((n) => send(item(n)))
  await turn()
  const second = [3, 4, 5].map((n) => send(item(n)))
  await turn()
  expect(begun()).toEqual([[1, 2]])
  sent[0]?.end()
  expect(await Promise.all(first)).toEqual(['1 among 2', '2 among 2'])
  await turn()
  sent[1]?.end()
  expect(await Promise.all(second)).toEqual(['3 among 3', '4 among 3', '5 among 3'])
  expect(begun()).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
})

test('as many batches as allowed are under way at once', async () => {
  const { send, turn, begun } = startBatches({ batches_max: 2, items_max: 1 })
  for (const n of [1, 2, 3]) void send(item(n))
  await turn()
  expect(begun()).toEqual([[1], [2]])
})

test('when a batch fails each of its items is tried as a batch of one, and one that fails fails alone', async () => {
  const { send, turn } = startBatches({
    work: async (items) => {
      if (items.length > 1) throw new Error('one of them is bad')
      return items.map(({ n }) => {
        if (n === 2) throw new Error('bad')
        return `alone ${n}`
      })
    },
  })
  const answers = [1, 2, 3].map((n) => send(item(n)))
  await expect(Promise.allSettled(answers)).resolves.toEqual([
    { status: 'fulfilled', value: 'alone 1' },
    { status: 'rejected', reason: new Error('bad') },
    { status: 'fulfilled', value: 'alone 3' },
  ])
  const later = send(item(4))
  await turn()
  expect(await later).toBe('alone 4')
})

test('a failure that concerns every item is told to all of them, and nothing is tried again', async () => {
  const tried: number[] = []
  const { send } = startBatches({
    work: (items) => {
      tried.push(items.length)
      return Promise.reject(new Error('away'))
    },
    isShared: () => true,
  })
  const answers = [1, 2].map((n) => send(item(n)))
  for (const answer of answers) await expect(answer).rejects.toThrow('away')
  expect(tried).toEqual([2])
})

test('a key whose batch is under way waits, and others go past it', async () => {
  const { send, sent, turn, begun } = startBatches({ batches_max: 3 })
  void send(item(1, 'hot'))
  await turn()
  for (const one of [item(2, 'hot'), item(3, 'other'), item(4, 'hot')]) void send(one)
  await turn()
  expect(begun()).toEqual([[1], [3]])
  sent[0]?.end()
  await turn()
  expect(begun()).toEqual([[1], [3], [2, 4]])
})

test('what has to wait holds up only its own key, and is done together with what else has to wait', async () => {
  const { send, sent, turn, begun } = startBatches({
    batches_max: 2,
    withoutWaiting: async (items) =>
      items.map(({ key, n }) => (key.startsWith('locked') ? undefined : `at once ${n}`)),
  })
  const answers = [item(1, 'locked one'), item(2, 'free'), item(3, 'locked two')].map(send)
  expect(await answers[1]).toBe('at once 2')
  for (const one of [item(4, 'free'), item(5, 'locked one')]) void send(one)
  await turn()
  expect(begun()).toEqual([[1, 3], [4]])
  sent[0]?.end()
  expect(await Promise.all(answers)).toEqual(['1 among 2', 'at once 2', '3 among 2'])
  await turn()
  expect(begun()).toEqual([[1, 3], [4], [5]])
})

test('keys share a batch, however much one of them asks for', async () => {
  const { send, sent, turn, begun } = startBatches({ items_max: 4 })
  for (let n = 0; n < 8; n++) void send(item(n, 'flood'))
  void send(item(100, 'other'))
  await turn()
  expect(begun()).toEqual([[0, 1, 100]])
  sent[0]?.end()
  await turn()
  expect(begun()[1]).toEqual([2, 3, 4, 5])
})
