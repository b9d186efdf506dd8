import { expect, test } from 'vitest'
import { type BatchOptions, createBatches } from './batches.ts'

interface Item {
  readonly key: string
  readonly n: number
}

/** Batches that end when the test says so; `sent` are those that have begun. */
function startBatches(options: Partial<BatchOptions<Item, string>> = {}) {
  const sent: { readonly ns: readonly number[]; end(): void; fail(error: Error): void }[] = []
  const begin = (items: readonly Item[]) =>
    new Promise<void>((resolve, reject) => {
      sent.push({ ns: items.map(({ n }) => n), end: resolve, fail: reject })
    })
  const send = createBatches<Item, string>({
    items_max: 10,
    batches_max: 1,
    keyOf: ({ key }) => key,
    together: async (items) => {
      await begin(items)
      return items.map(({ n }) => `together ${n}`)
    },
    alone: async (item) => {
      await begin([item])
      return `alone ${item.n}`
    },
    isShared: () => false,
    ...options,
  })
  /** Until everything that can begin has begun. */
  const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  return { send, sent, turn, begun: () => sent.map(({ ns }) => ns) }
}
const item = (n: number, key = `key ${n}`): Item => ({ key, n })

test('one that comes alone goes at once and alone', async () => {
  const { send, sent, turn } = startBatches()
  const answer = send(item(1))
  await turn()
  sent[0]?.end()
  expect(await answer).toBe('alone 1')
})

test('what comes at the same moment, or while a batch is under way, goes together, and each gets its own answer', async () => {
  const { send, sent, turn, begun } = startBatches()
  const first = [1, 2].map((n) => send(item(n)))
  await turn()
  const second = [3, 4, 5].map((n) => send(item(n)))
  await turn()
  expect(begun()).toEqual([[1, 2]])
  sent[0]?.end()
  expect(await Promise.all(first)).toEqual(['together 1', 'together 2'])
  await turn()
  sent[1]?.end()
  expect(await Promise.all(second)).toEqual(['together 3', 'together 4', 'together 5'])
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

test('when they fail together each is tried alone, and one that fails fails alone', async () => {
  const { send, turn } = startBatches({
    together: () => Promise.reject(new Error('one of them is bad')),
    alone: async ({ n }) => {
      if (n === 2) throw new Error('bad')
      return `alone ${n}`
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

test('a failure that is everybody’s is told to all of them, and nothing is tried again', async () => {
  const { send, begun } = startBatches({
    together: () => Promise.reject(new Error('away')),
    isShared: () => true,
  })
  const answers = [1, 2].map((n) => send(item(n)))
  for (const answer of answers) await expect(answer).rejects.toThrow('away')
  expect(begun()).toEqual([])
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
  expect(await Promise.all(answers)).toEqual(['together 1', 'at once 2', 'together 3'])
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
