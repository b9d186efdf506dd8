import { expect, test } from 'vitest'
import { describeDifferences } from './findings.ts'

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
