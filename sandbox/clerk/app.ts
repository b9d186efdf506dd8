import { bodyParser } from '@koa/bodyparser'
import Koa from 'koa'
import { deliveryKnobs } from './knobs/deliveries.ts'
import { peopleKnobs } from './knobs/people.ts'
import { resetKnob } from './knobs/sandbox.ts'
import { answerErrors } from './middleware/answer-errors.ts'
import { Faults, injectFaults } from './middleware/inject-faults.ts'
import { overrideMethod } from './middleware/override-method.ts'
import { saveChanges } from './middleware/save-changes.ts'
import { avatarRoutes } from './pages/avatars.ts'
import { browserScriptRoutes } from './pages/browser-script.ts'
import { ticketRoutes } from './pages/invitation-link.ts'
import { backendEmailAddressRoutes } from './routes/backend/email-addresses.ts'
import { backendInvitationRoutes } from './routes/backend/organization-invitations.ts'
import { backendMembershipRoutes } from './routes/backend/organization-memberships.ts'
import { backendOrganizationRoutes } from './routes/backend/organizations.ts'
import { requireSecretKey } from './routes/backend/secret-key.ts'
import { backendSessionRoutes } from './routes/backend/sessions.ts'
import { backendUserRoutes } from './routes/backend/users.ts'
import { clientRoutes, instanceRoutes, sessionRoutes } from './routes/frontend/client.ts'
import { meRoutes } from './routes/frontend/me.ts'
import { myEmailAddressRoutes } from './routes/frontend/my-email-addresses.ts'
import { myOrganizationRoutes } from './routes/frontend/my-organizations.ts'
import { organizationMemberRoutes } from './routes/frontend/organization-members.ts'
import { organizationRoutes } from './routes/frontend/organizations.ts'
import { pictureRoutes } from './routes/frontend/pictures.ts'
import { signInRoutes } from './routes/frontend/sign-ins.ts'
import { signUpRoutes } from './routes/frontend/sign-ups.ts'
import type { Service } from './service.ts'

/** Everything the stand-in answers, in one list. */
export function createApp(service: Service): Koa {
  const faults = new Faults()
  const app = new Koa()
  app.use(answerErrors)
  app.use(injectFaults(faults))
  app.use(saveChanges(service))

  for (const routes of [browserScriptRoutes(), avatarRoutes(service)]) app.use(routes.routes())

  app.use(bodyParser({ enableTypes: ['json', 'form'], jsonLimit: '256kb', formLimit: '64kb' }))
  app.use(overrideMethod)

  const frontend = [
    instanceRoutes(service),
    clientRoutes(service),
    sessionRoutes(service),
    signUpRoutes(service),
    signInRoutes(service),
    meRoutes(service),
    myEmailAddressRoutes(service),
    myOrganizationRoutes(service),
    organizationRoutes(service),
    organizationMemberRoutes(service),
    pictureRoutes(service),
    ticketRoutes(service),
  ]
  const knobs = [peopleKnobs(service), deliveryKnobs(service, faults), resetKnob(service, faults)]
  for (const routes of [...frontend, ...knobs]) app.use(routes.routes())

  const checkSecretKey = requireSecretKey(service)
  app.use((ctx, next) => (ctx.path.startsWith('/bapi/') ? checkSecretKey(ctx, next) : next()))
  const backend = [
    backendSessionRoutes(service),
    backendUserRoutes(service),
    backendEmailAddressRoutes(service),
    backendOrganizationRoutes(service),
    backendMembershipRoutes(service),
    backendInvitationRoutes(service),
  ]
  for (const routes of backend) app.use(routes.routes())
  return app
}
