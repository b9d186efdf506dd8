import type { WebConfig } from '../../schema/api/catalogue.ts'
import { defaultBrand } from '../../schema/catalogue/brand.ts'

/** What the server tells a page, where a test does not care. */
export const testConfig: WebConfig = {
  brand: defaultBrand,
  clerk: { publishable_key: 'pk_test', proxy_url: null },
  sandbox: false,
  sample_editor_url: null,
  editors: {},
  maximum_seats: 100,
}
