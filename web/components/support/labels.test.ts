import { expect, test } from 'vitest'
import { actName } from '../../content/support/acts.ts'
import { ageText, counted, ownerTitle, sentenceCase, stakeText } from './labels.ts'

const noon = '2026-11-22T12:00:00.000Z'

test.each([
  ['2026-11-22T11:59:30.000Z', 'now'],
  ['2026-11-22T12:00:30.000Z', 'now'],
  ['2026-11-22T11:48:00.000Z', '12 min'],
  ['2026-11-22T09:01:00.000Z', '2 h'],
  ['2026-11-19T12:00:00.000Z', '3 d'],
])('the age at noon of an event that began at %s is %s', (since, age) => {
  expect(ageText(since, noon)).toBe(age)
})

test('the stake is shown in money, in credits, or not at all', () => {
  const money = { amount_minor: 700, currency: 'EUR' } as const
  expect(stakeText(money, 500)).toBe('€7.00 · +500 credits')
  expect(stakeText(null, -40)).toBe('−40 credits')
  expect(stakeText(money, null)).toBe('€7.00')
  expect(stakeText(null, null)).toBeNull()
})

test('the system’s names are written as people read them, also unknown ones', () => {
  expect(actName('cancel_intent')).toBe('Cancel checkout')
  expect(actName('forget_user')).toBe('Forget user')
  expect(sentenceCase('past_due')).toBe('Past due')
  expect(counted(1, 'checkout')).toBe('1 checkout')
  expect(counted(1200, 'difference')).toBe('1,200 differences')
  expect(ownerTitle({ id: 'user_1', label: null })).toBe('user_1')
})
