import { expect, test } from 'vitest'
import { playAtStandIns } from './at-stand-ins.ts'
import { describeDifferences } from './findings.ts'
import recorded from './stand-ins.json' with { type: 'json' }

test('the live check finds at the stand-ins what was recorded of them, and leaves nothing behind', {
  timeout: 10 * 60_000,
}, async () => {
  const said: string[] = []
  const found = await playAtStandIns({ say: (line) => said.push(line) })
  expect(said.filter((line) => !line.startsWith('  played: '))).toEqual([])
  expect(describeDifferences(recorded, found)).toEqual([])
  expect(Object.keys(found)).toEqual(Object.keys(recorded))
})
