import { bodyParser } from '@koa/bodyparser'
import Koa from 'koa'
import type { Clerk } from './clerk.ts'
import { answerErrors } from './middleware/answer-errors.ts'
import { Faults, injectFaults } from './middleware/inject-faults.ts'
import { overrideMethod } from './middleware/override-method.ts'
import { saveChanges } from './middleware/save-changes.ts'
import { avatarRoutes } from './routes/avatars.ts'
import { backendEmailAddressRoutes } from './routes/backend/email-addresses.ts'
import { backendInvitationRoutes } from './routes/backend/organization-invitations.ts'
import { backendMembershipRoutes } from './routes/backend/organization-memberships.ts'
import { backendOrganizationRoutes } from './routes/backend/organizations.ts'
import { requireSecretKey } from './routes/backend/secret-key.ts'
import { backendSessionRoutes } from './routes/backend/sessions.ts'
import { backendUserRoutes } from './routes/backend/users.ts'
import { browserScriptRoutes } from './routes/browser-script.ts'
import { clientRoutes } from './routes/frontend/client.ts'
import { instanceRoutes } from './routes/frontend/instance.ts'
import { meRoutes } from './routes/frontend/me.ts'
import { myEmailAddressRoutes } from './routes/frontend/my-email-addresses.ts'
import { myOrganizationRoutes } from './routes/frontend/my-organizations.ts'
import { organizationMemberRoutes } from './routes/frontend/organization-members.ts'
import { organizationRoutes } from './routes/frontend/organizations.ts'
import { pictureRoutes } from './routes/frontend/pictures.ts'
import { sessionRoutes } from './routes/frontend/sessions.ts'
import { signInRoutes } from './routes/frontend/sign-ins.ts'
import { signUpRoutes } from './routes/frontend/sign-ups.ts'
import { ticketRoutes } from './routes/frontend/tickets.ts'
import { deliveryKnobs } from './routes/sandbox/deliveries.ts'
import { peopleKnobs } from './routes/sandbox/people.ts'
import { resetKnob } from './routes/sandbox/reset.ts'

/** Everything the stand-in answers, in one list. */
export function createApp(clerk: Clerk): Koa {
  const faults = new Faults()
  const app = new Koa()
  app.use(answerErrors)
  app.use(injectFaults(faults))
  app.use(saveChanges(clerk))

  for (const routes of [browserScriptRoutes(), avatarRoutes(clerk)]) app.use(routes.routes())

  app.use(bodyParser({ enableTypes: ['json', 'form'], jsonLimit: '256kb', formLimit: '64kb' }))
  app.use(overrideMethod)

  const frontend = [
    instanceRoutes(clerk),
    clientRoutes(clerk),
    sessionRoutes(clerk),
    signUpRoutes(clerk),
    signInRoutes(clerk),
    meRoutes(clerk),
    myEmailAddressRoutes(clerk),
    myOrganizationRoutes(clerk),
    organizationRoutes(clerk),
    organizationMemberRoutes(clerk),
    pictureRoutes(clerk),
    ticketRoutes(clerk),
  ]
  const knobs = [peopleKnobs(clerk), deliveryKnobs(clerk, faults), resetKnob(clerk, faults)]
  for (const routes of [...frontend, ...knobs]) app.use(routes.routes())

  const checkSecretKey = requireSecretKey(clerk)
  app.use((ctx, next) => (ctx.path.startsWith('/bapi/') ? checkSecretKey(ctx, next) : next()))
  const backend = [
    backendSessionRoutes(clerk),
    backendUserRoutes(clerk),
    backendEmailAddressRoutes(clerk),
    backendOrganizationRoutes(clerk),
    backendMembershipRoutes(clerk),
    backendInvitationRoutes(clerk),
  ]
  for (const routes of backend) app.use(routes.routes())
  return app
}
