import type { Router } from '@koa/router'
import type { Service } from '../../service.ts'

/** The instance's settings. The switch for personal accounts is only in `/v1/environment`. */
export function backendInstanceRoutes(router: Router, { instance }: Service): void {
  router.get('/bapi/v1/instance/organization_settings', (ctx) => {
    ctx.body = {
      object: 'organization_settings',
      enabled: instance.organizations_enabled,
      max_allowed_memberships: instance.max_allowed_memberships,
      max_allowed_roles: 10,
      max_role_sets_allowed: 1,
      max_allowed_domains: 10,
      max_allowed_permissions: 50,
      creator_role: 'org:admin',
      admin_delete_enabled: true,
      domains_enabled: false,
      slug_disabled: false,
      domains_enrollment_modes: [],
      domains_default_role: 'org:member',
      initial_role_set_key: null,
    }
  })
}
