import type { getWebConfig } from '../../schema/api/catalogue.ts'
import type { Handler } from '../mount.ts'

export const handleGetWebConfig: Handler<typeof getWebConfig> = (_request, { settings }) => ({
  brand: settings.brand,
  clerk: {
    publishable_key: settings.clerk_publishable_key,
    proxy_url: settings.clerk_proxy_target ? '/__clerk' : null,
    js_url: settings.clerk_js_url ?? null,
  },
  sandbox: settings.sandbox,
})
