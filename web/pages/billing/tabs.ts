import type { PayerView } from '../../api/account.ts'

/** The personal account or the organization that is chosen, as the page's parts need to know it. */
export interface Payer extends PayerView {
  /** Null for the personal account. */
  organizationName: string | null
  /** Whether the user may buy for it and see its payments: for an organization, its admins. */
  mayManage: boolean
}

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
