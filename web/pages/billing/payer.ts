import type { PayerView } from '../../api/account.ts'

/** The personal account or the organization that is chosen, as the page's parts need to know it. */
export interface Payer extends PayerView {
  /** Null for the personal account. */
  organizationName: string | null
  /** Whether the user may buy for it and see its payments: for an organization, its admins. */
  mayManage: boolean
}
