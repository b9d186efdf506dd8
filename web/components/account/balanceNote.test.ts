import { expect, test } from 'vitest'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { balanceNote } from './balanceText.ts'

const balance = { plan: 0, purchased: 0, total: 0, available: 0, held: 0, low: false, had_credits: false }
const summary: AccountSummary = {
  payer: 'personal',
  organization_name: null,
  has_seat: false,
  member_since: '2026-02-01T12:00:00.000Z',
  may_manage: true,
  balance,
  plan_month: null,
  credits_on_the_way: 0,
  is_renewing: false,
  overdue: null,
  plan_type: 'starter',
  currency: { code: 'EUR', is_bound: false },
  subscription: null,
  payments: [],
  as_of: '2026-03-01T12:00:00.000Z',
}
const usedUp = { ...balance, had_credits: true, low: true }

test('no credits yet are told from no credits left', () => {
  expect(balanceNote(summary)).toBe('You have no credits yet. Add some to start using the assistant.')
  expect(balanceNote({ ...summary, balance: usedUp })).toBe(
    'You have no credits left. Add some to go on using the assistant.',
  )
  expect(balanceNote({ ...summary, balance: usedUp, is_renewing: true })).toMatch(
    /^The plan is being renewed/,
  )
  expect(balanceNote({ ...summary, credits_on_the_way: 500 })).toMatch(/^They are added as soon as/)
})

test('a member is told whom to ask', () => {
  const organization = { ...summary, payer: 'org_1', may_manage: false }
  expect(balanceNote(organization)).toBe(
    'Your organization has no credits yet. Ask an administrator to add some to start using the assistant.',
  )
})

test('a balance below zero says why', () => {
  expect(balanceNote({ ...summary, balance: { ...usedUp, total: -5 } })).toContain('refund or dispute')
})
