import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutations } from './mutation-list.ts'
import { regressions } from './regressions.ts'

test.each(mutations)('the fault "$name" can still be planted', async ({ file, text, becomes, history }) => {
  const source = await readFile(join(import.meta.dirname, '../..', file), 'utf8')
  expect(source.split(text)).toHaveLength(2)
  expect(becomes).not.toBe(text)
  if (history) expect(regressions.map(({ title }) => title)).toContain(history)
})
