import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { noCredits, summaryWith } from '../../testing/account.ts'
import { BalanceParts, balanceNote, creditsShown, creditsUnit, monthText } from './balance.tsx'

const month = { granted: 500, used: 477, ends_at: '2026-12-07T12:00:00.000Z', resets: true }
const balanceOf = (plan: number, purchased: number) => ({ plan, purchased }) as AccountSummary['balance']

/** The parts as they are shown, without their markup, and how much of the bar is filled. */
function partsOf(summary: Parameters<typeof BalanceParts>[0]['summary']) {
  const html = renderToString(createElement(BalanceParts, { summary }))
  return [html.replace(/(<[^>]+>)+/g, '|').replace(/^\||\|$/g, ''), /width:([\d.]+)%/.exec(html)?.[1]]
}

test('a balance says how much of the plan’s month is used, when that resets and what was purchased', () => {
  expect(partsOf({ balance: balanceOf(23, 1000), plan_month: month })[0]).toBe(
    '477 of 500 plan credits used · resets Dec 7|1,000 purchased',
  )
  expect(partsOf({ balance: balanceOf(23, 0), plan_month: month })[0]).toBe(
    '477 of 500 plan credits used · resets Dec 7',
  )
})

test.each([
  [0, '0'],
  [125, '25'],
  [500, '100'],
])('the bar of a month with %i of 500 credits used is filled to %s percent', (used, percent) => {
  expect(partsOf({ balance: balanceOf(500 - used, 1000), plan_month: { ...month, used } })).toEqual([
    expect.stringMatching(new RegExp(`^${used} of 500 plan credits used`)),
    percent,
  ])
})

test('a balance shows what is available, and what is reserved only while something is', () => {
  const shown = (balance: { total: number; available: number; held: number }) =>
    `${creditsShown(balance)} ${creditsUnit(balance)}`
  expect(shown({ total: 563, available: 488, held: 75 })).toBe('488 available · 75 reserved')
  expect(shown({ total: 563, available: 563, held: 0 })).toBe('563 credits')
  expect(shown({ total: 50, available: 0, held: 75 })).toBe('0 available · 75 reserved')
  expect(shown({ total: -40, available: 0, held: 0 })).toBe('-40 credits')
})

test('the rest of a month ends when the plan is cancelled', () => {
  expect(monthText({ ...month, resets: false })).toBe('477 of 500 plan credits used · the rest ends Dec 7')
})

test('a balance says less where less is known', () => {
  expect(monthText({ ...month, ends_at: null })).toBe('477 of 500 plan credits used')
  const withoutMonth = (plan: number, purchased: number) =>
    partsOf({ balance: balanceOf(plan, purchased), plan_month: null })
  expect(withoutMonth(-50, 20)).toEqual(['-50 plan credits · 20 purchased', undefined])
  expect(withoutMonth(0, 20)).toEqual(['20 purchased', undefined])
  expect(withoutMonth(0, 0)).toEqual(['', undefined])
})

const note = (...changes: Parameters<typeof summaryWith>) => balanceNote(summaryWith(...changes))
const usedUp = { ...noCredits, had_credits: true, low: true }

test('no credits yet are told from no credits left', () => {
  expect(note({ balance: noCredits })).toBe('You have no credits yet. Add some to start using the assistant.')
  expect(note({ balance: usedUp })).toBe('You have no credits left. Add some to go on using the assistant.')
  expect(note({ balance: usedUp, renewal: 'usual' })).toMatch(/^The plan is being renewed/)
  expect(note({ balance: noCredits, credits_on_the_way: 500 })).toMatch(/^They are added as soon as/)
})

test('a member is told whom to ask', () => {
  expect(note({ balance: noCredits, payer: 'org_1', may_manage: false })).toBe(
    'Your organization has no credits yet. Ask an administrator to add some to start using the assistant.',
  )
})

test('a balance below zero says why', () => {
  expect(note({ balance: { ...usedUp, total: -5 } })).toContain('refund or dispute')
})
