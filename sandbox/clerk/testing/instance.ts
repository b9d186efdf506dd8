import type { Instance } from '../settings.ts'

/** What an application whose people have a personal account as well as organizations switches on. */
export const withOrganizations = {
  organizations_enabled: true,
  personal_accounts_allowed: true,
  max_allowed_memberships: 5,
} satisfies Instance
