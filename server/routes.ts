import type { Route } from './route.ts'
import { accountRoutes } from './routes/account.ts'
import { billingRoutes } from './routes/billing.ts'
import { budgetsRoutes } from './routes/budgets.ts'
import { catalogueRoutes } from './routes/catalogue.ts'
import { checkoutRoutes } from './routes/checkout.ts'
import { creditsRoutes } from './routes/credits.ts'
import { explanationRoutes } from './routes/explanation.ts'
import { extensionRoutes } from './routes/extension.ts'
import { extensionAuthRoutes } from './routes/extension-auth.ts'
import { healthRoutes } from './routes/health.ts'
import { holdsRoutes } from './routes/holds.ts'
import { mailRoutes } from './routes/mail.ts'
import { openapiRoutes } from './routes/openapi.ts'
import { organizationPeopleRoutes } from './routes/organization-people.ts'
import { organizationSeatsRoutes } from './routes/organization-seats.ts'
import { organizationsRoutes } from './routes/organizations.ts'
import { planChangesRoutes } from './routes/plan-changes.ts'
import { reconciliationRoutes } from './routes/reconciliation.ts'
import { subscriptionsRoutes } from './routes/subscriptions.ts'
import { supportRoutes } from './routes/support.ts'
import { supportActsRoutes } from './routes/support-acts.ts'
import { supportCustomerRoutes } from './routes/support-customer.ts'
import { teamInvitationsRoutes } from './routes/team-invitations.ts'
import { usageRoutes } from './routes/usage.ts'
import { usersRoutes } from './routes/users.ts'
import { webhooksRoutes } from './routes/webhooks.ts'

const calls: readonly Route[] = [
  ...catalogueRoutes,
  ...usersRoutes,
  ...accountRoutes,
  ...creditsRoutes,
  ...explanationRoutes,
  ...usageRoutes,
  ...budgetsRoutes,
  ...billingRoutes,
  ...checkoutRoutes,
  ...subscriptionsRoutes,
  ...organizationsRoutes,
  ...planChangesRoutes,
  ...organizationSeatsRoutes,
  ...organizationPeopleRoutes,
  ...teamInvitationsRoutes,
  ...extensionRoutes,
  ...holdsRoutes,
  ...extensionAuthRoutes,
  ...supportRoutes,
  ...supportCustomerRoutes,
  ...supportActsRoutes,
  ...reconciliationRoutes,
  ...webhooksRoutes,
  ...mailRoutes,
  ...healthRoutes,
]

/** Every route: `app.ts` mounts them, and rights.test.ts calls each of them. */
export const routes: readonly Route[] = [...calls, ...openapiRoutes(calls)]
