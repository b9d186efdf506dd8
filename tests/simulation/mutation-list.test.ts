import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutations } from './mutation-list.ts'
import { faultyFiles, readProduct } from './plant.ts'
import { regressions } from './regressions.ts'

const sources = await readProduct(join(import.meta.dirname, '../..'))

test.each(mutations)('the fault "$name" can still be planted', (mutation) => {
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  for (const { path, text } of faultyFiles(sources, mutation)) expect(text).not.toBe(texts.get(path))
  if (mutation.history) expect(regressions.map(({ title }) => title)).toContain(mutation.history)
})

test('a line is found when it has moved to another file and is wrapped differently', () => {
  const moved = [{ path: 'schema/elsewhere.ts', text: 'f(\n  a,\n  b\n)' }]
  const mutation = { name: 'swapped', text: 'f(a, b)', becomes: 'f(b, a)' }
  expect(faultyFiles(moved, mutation)).toEqual([{ path: 'schema/elsewhere.ts', text: 'f(b, a)' }])
  expect(() => faultyFiles([], mutation)).toThrow('"swapped" no longer applies: its line is there 0 times')
  expect(() => faultyFiles([...moved, ...moved], mutation)).toThrow('there 2 times')
})
