import type { WebConfig } from '../schema/api/catalogue.ts'
import type { Settings } from './settings.ts'

/** What the web app is told, by its call and within every document. */
export function webConfigOf(settings: Settings): WebConfig {
  return {
    brand: settings.brand,
    clerk: {
      publishable_key: settings.clerk_publishable_key,
      proxy_url: settings.clerk_proxy_target ? '/__clerk' : null,
    },
    sandbox: settings.sandbox,
    sample_editor_url: settings.sample_editor_url ?? null,
    editors: settings.editors,
    maximum_seats: settings.maximum_seats,
  }
}
