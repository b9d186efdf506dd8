import type { Router } from '@koa/router'
import { defined } from '../../kit/defined.ts'
import { findCustomer } from '../entities/customer.ts'
import { emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import {
  defaultConfiguration,
  lacksTaxBehavior,
  newPortalConfiguration,
  newPortalSession,
  type PortalFeatures,
  unspecifiedTax,
  withFeatures,
} from '../entities/portal.ts'
import { existing, invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { flag } from '../wire/params.ts'
import {
  createConfigurationParams,
  createPortalSessionParams,
  readFeatures,
  updateConfigurationParams,
} from '../wire/portal-params.ts'
import { readFlow } from './portal-flow.ts'
import { putUpdated, resource } from './resource.ts'

export function portalRoutes(router: Router, service: Service): void {
  const { store, clock } = service
  const call = callsOf(router, service)

  resource(router, service, {
    path: '/v1/billing_portal/configurations',
    noun: 'configuration',
    table: store.portal_configurations,
    filters: { active: flag.optional(), is_default: flag.optional() },
    changes: updateConfigurationParams,
    update: (before, { params, cause }) => {
      const features = withFeatures(before.features, readFeatures(params.features ?? {}))
      checkProducts(service, features)
      return putUpdated(service, store.portal_configurations, {
        before,
        metadata: params.metadata,
        event: 'billing_portal.configuration.updated',
        cause,
        changes: {
          active: params.active,
          business_profile: { ...before.business_profile, ...defined(params.business_profile ?? {}) },
          default_return_url: params.default_return_url,
          features,
          name: params.name,
          updated: clock.now(),
        },
      })
    },
  })

  call('POST /v1/billing_portal/configurations', createConfigurationParams, ({ params, cause }) => {
    const configuration = newPortalConfiguration(service, {
      business_profile: defined(params.business_profile ?? {}),
      default_return_url: params.default_return_url ?? null,
      features: readFeatures(params.features),
      is_default: false,
      metadata: mergeMetadata(null, params.metadata),
      name: params.name ?? null,
    })
    checkProducts(service, configuration.features)
    store.portal_configurations.put(configuration)
    emit(service, 'billing_portal.configuration.created', configuration, { cause })
    return configuration
  })

  call('POST /v1/billing_portal/sessions', createPortalSessionParams, ({ params, cause }) => {
    const customer = findCustomer(service, params.customer, 'customer')
    const named = params.configuration
    const configuration =
      named === undefined ? defaultConfiguration(service) : store.portal_configurations.get(named)
    if (!configuration?.active) throw noSuch('configuration', named ?? '', 'configuration')
    const session = store.portal_sessions.put(
      newPortalSession(service, {
        configuration,
        customer: customer.id,
        flow: readFlow(service, { flow_data: params.flow_data, customer: customer.id, configuration }),
        locale: params.locale ?? null,
        return_url: params.return_url ?? configuration.default_return_url,
      }),
    )
    emit(service, 'billing_portal.session.created', session, { cause })
    return session
  })
}

/**
 * Every price that can be chosen must exist, recur, and belong to the product that it is listed under, and
 * two prices of one product may not have the same interval
 * (https://github.com/cobuildwithus/murph/pull/1258).
 */
function checkProducts(service: Service, features: PortalFeatures): void {
  const { store } = service
  const { enabled, products, default_allowed_updates } = features.subscription_update
  if (enabled && default_allowed_updates.includes('price') && !products?.length) {
    throw invalidRequest('You must pass the products whose prices customers can choose.', {
      param: 'features[subscription_update][products]',
    })
  }
  for (const [index, { product, prices }] of (products ?? []).entries()) {
    const param = `features[subscription_update][products][${index}]`
    if (!store.products.get(product)) throw noSuch('product', product, `${param}[product]`)
    const intervals = new Set<string>()
    for (const id of prices) {
      const price = existing(store.prices, 'price', id, `${param}[prices]`)
      if (price.product !== product || !price.recurring) {
        throw invalidRequest(`The price ${id} is not a recurring price of the product ${product}.`, { param })
      }
      if (lacksTaxBehavior(service, price)) throw unspecifiedTax(id, `${param}[prices]`)
      const interval = `${price.recurring.interval_count} ${price.recurring.interval}`
      if (intervals.has(interval)) {
        throw invalidRequest(`Only one price of the product ${product} may recur every ${interval}.`, {
          param,
        })
      }
      intervals.add(interval)
    }
  }
}
