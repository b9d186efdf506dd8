import type { Router } from '@koa/router'
import { z } from 'zod'
import type { StoredPortalConfiguration } from '../entities.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { changedFields, emit } from '../objects/event.ts'
import { newPortalConfiguration, withFeatures } from '../objects/portal-configuration.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { common, defined, flag, mergeMetadata, pagination, readParams } from '../wire/params.ts'
import type { World } from '../world.ts'
import { createConfigurationParams, readFeatures, updateConfigurationParams } from './portal-params.ts'

const listParams = z.strictObject({ ...pagination, active: flag.optional(), is_default: flag.optional() })

export function portalConfigurationRoutes(router: Router, world: World): void {
  const { store, clock } = world

  const find = (id: string): StoredPortalConfiguration => {
    const configuration = store.portal_configurations.get(id)
    if (!configuration) throw noSuch('configuration', id)
    return configuration
  }

  router.post(
    '/v1/billing_portal/configurations',
    handle(world, ({ form, cause }) => {
      const params = readParams(createConfigurationParams, form)
      const configuration = newPortalConfiguration(world, {
        business_profile: defined(params.business_profile ?? {}),
        default_return_url: params.default_return_url ?? null,
        features: readFeatures(params.features),
        is_default: false,
        metadata: mergeMetadata(null, params.metadata),
        name: params.name ?? null,
      })
      checkProducts(world, configuration)
      store.portal_configurations.put(configuration)
      emit(world, 'billing_portal.configuration.created', configuration, { cause })
      return configuration
    }),
  )

  router.get(
    '/v1/billing_portal/configurations',
    handle(world, ({ form }) => {
      const { active, is_default, ...cursor } = readParams(listParams, form)
      return listPage(store.portal_configurations, cursor, {
        url: '/v1/billing_portal/configurations',
        noun: 'configuration',
        matches: (one) =>
          (active === undefined || one.active === active) &&
          (is_default === undefined || one.is_default === is_default),
      })
    }),
  )

  router.get(
    '/v1/billing_portal/configurations/:id',
    handle(world, ({ form, path }) => {
      readParams(z.strictObject(common), form)
      return find(path('id'))
    }),
  )

  router.post(
    '/v1/billing_portal/configurations/:id',
    handle(world, ({ form, path, cause }) => {
      const params = readParams(updateConfigurationParams, form)
      const before = find(path('id'))
      const after: StoredPortalConfiguration = {
        ...before,
        ...defined({
          active: params.active,
          default_return_url: params.default_return_url,
          name: params.name,
        }),
        business_profile: { ...before.business_profile, ...defined(params.business_profile ?? {}) },
        features: withFeatures(before.features, readFeatures(params.features ?? {})),
        metadata: mergeMetadata(before.metadata, params.metadata),
        updated: clock.now(),
      }
      checkProducts(world, after)
      store.portal_configurations.put(after)
      emit(world, 'billing_portal.configuration.updated', after, {
        cause,
        previous_attributes: changedFields(before, after),
      })
      return after
    }),
  )
}

/** Every price that can be chosen must exist, recur, and belong to the product that it is listed under. */
function checkProducts({ store }: World, { features }: StoredPortalConfiguration): void {
  const { enabled, products, default_allowed_updates } = features.subscription_update
  if (enabled && default_allowed_updates.includes('price') && !products?.length) {
    throw invalidRequest('You must pass the products whose prices customers can choose.', {
      param: 'features[subscription_update][products]',
    })
  }
  for (const [index, { product, prices }] of (products ?? []).entries()) {
    const param = `features[subscription_update][products][${index}]`
    if (!store.products.get(product)) throw noSuch('product', product, `${param}[product]`)
    for (const id of prices) {
      const price = store.prices.get(id)
      if (!price) throw noSuch('price', id, `${param}[prices]`)
      if (price.product !== product || !price.recurring) {
        throw invalidRequest(`The price ${id} is not a recurring price of the product ${product}.`, { param })
      }
    }
  }
}
