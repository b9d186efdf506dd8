import { expect, test } from 'vitest'
import type { Payer } from '../../components/account/usePayer.ts'
import { openTab, organizationTabNote } from './tabs.ts'

const person: Payer = { payer: 'personal', userId: 'user_1', organizationName: null, mayManage: true }
const admin: Payer = { ...person, payer: 'org_1', organizationName: 'Harbour Labs' }
const member: Payer = { ...admin, mayManage: false }

test.each([
  ['a person', person, '', 'overview'],
  ['an administrator', admin, '', 'organization'],
  ['a member', member, '', 'overview'],
  ['an administrator who asks for the invoices', admin, 'tab=invoices', 'invoices'],
  ['a member who asks for the usage', member, 'tab=usage', 'usage'],
  ['a person who asks for a tab that does not exist', person, 'tab=nonsense', 'overview'],
] as const)('%s sees the right tab of billing first', (_who, payer, query, tab) => {
  expect(openTab(new URLSearchParams(query), payer)).toBe(tab)
})

test('the tab of the organization says why it is closed', () => {
  expect(organizationTabNote(person)).toBe('(No Org)')
  expect(organizationTabNote(member)).toBe('(Admin Only)')
  expect(organizationTabNote(admin)).toBeUndefined()
})
