import type { Router } from '@koa/router'
import { noSuch } from '../errors.ts'
import { emit } from '../objects/event.ts'
import { defaultConfiguration } from '../objects/portal-configuration.ts'
import { newPortalSession } from '../objects/portal-session.ts'
import { handle } from '../wire/handle.ts'
import { readParams } from '../wire/params.ts'
import type { World } from '../world.ts'
import { readFlow } from './portal-flow.ts'
import { createPortalSessionParams } from './portal-params.ts'

export function portalSessionRoutes(router: Router, world: World): void {
  const { store } = world

  router.post(
    '/v1/billing_portal/sessions',
    handle(world, ({ form, cause }) => {
      const params = readParams(createPortalSessionParams, form)
      const customer = store.customers.get(params.customer)
      if (!customer || customer.deleted) throw noSuch('customer', params.customer, 'customer')
      const named = params.configuration
      const configuration =
        named === undefined ? defaultConfiguration(world) : store.portal_configurations.get(named)
      if (!configuration?.active) throw noSuch('configuration', named ?? '', 'configuration')
      const session = store.portal_sessions.put(
        newPortalSession(world, {
          configuration,
          customer: customer.id,
          flow: readFlow(world, { flow_data: params.flow_data, customer: customer.id, configuration }),
          locale: params.locale ?? null,
          return_url: params.return_url ?? configuration.default_return_url,
        }),
      )
      emit(world, 'billing_portal.session.created', session, { cause })
      return session
    }),
  )
}
