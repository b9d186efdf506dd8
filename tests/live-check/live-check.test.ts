import { expect, test } from 'vitest'
import { playAtStandIns } from './at-stand-ins.ts'
import { describeDifferences } from './findings.ts'
import recorded from './stand-ins.json' with { type: 'json' }

test('the live check finds at the stand-ins what was recorded of them, and leaves nothing behind', {
  timeout: 5 * 60_000,
}, async () => {
  const said: string[] = []
  const found = await playAtStandIns({ say: (line) => said.push(line) })
  expect(said.filter((line) => !line.startsWith('  played: '))).toEqual([])
  expect(describeDifferences(recorded, found)).toEqual([])
  expect(Object.keys(found)).toEqual(Object.keys(recorded))
})

test('a difference is told with its place and both sides', () => {
  const before = { 'a trial': { status: 'trialing', invoices: [{ total: 0 }] }, 'a refund': 'accepted' }
  const found = { 'a trial': { status: 'active', invoices: [{ total: 0 }] }, 'a refund': 'accepted' }
  expect(describeDifferences(before, found)).toEqual([
    'a trial › status\n    stand-in: "trialing"\n    here:     "active"',
  ])
  expect(describeDifferences(before, { ...before, more: 1 })).toEqual([
    'more\n    stand-in: null\n    here:     1',
  ])
})
