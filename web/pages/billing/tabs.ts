import type { Payer } from '../../components/account/usePayer.ts'

const billingTabs = ['overview', 'credits', 'usage', 'invoices', 'organization'] as const
export type BillingTab = (typeof billingTabs)[number]

/** Within the tab of invoices. */
export type InvoicesView = 'transactions' | 'invoices'

/** The tab that the address names, else the one that its reader most likely wants. */
export function openTab(search: URLSearchParams, payer: Payer): BillingTab {
  const asked = billingTabs.find((tab) => tab === search.get('tab'))
  return asked ?? (isAdmin(payer) ? 'organization' : 'overview')
}

/** Why the organization's tab cannot be opened. */
export function organizationTabNote(payer: Payer): string | undefined {
  if (payer.organizationName === null) return '(No Org)'
  return isAdmin(payer) ? undefined : '(Admin Only)'
}

function isAdmin({ organizationName, mayManage }: Payer): boolean {
  return organizationName !== null && mayManage
}
