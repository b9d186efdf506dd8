import * as z from 'zod/mini'
import { brand } from '../../web/content/brand.ts'

/**
 * The product's name and its links. The environment can override each field. The claims of the marketing pages
 * are in web/content/site.
 */
export const brandSchema = z.object({
  name: z.string().check(z.minLength(1)),
  support_email: z.email(),
  /** Without it the site's own page, `/docs`. */
  docs_url: z.nullable(z.url()),
  community_url: z.nullable(z.url()),
  marketplace_url: z.nullable(z.url()),
  /** The operator's documents; without an address the site has a sample of each. */
  terms_url: z.nullable(z.url()),
  privacy_url: z.nullable(z.url()),
  refunds_url: z.nullable(z.url()),
  imprint_url: z.nullable(z.url()),
})
export type Brand = z.infer<typeof brandSchema>

export const defaultBrand: Brand = {
  ...brand,
  docs_url: null,
  community_url: null,
  marketplace_url: null,
  terms_url: null,
  privacy_url: null,
  refunds_url: null,
  imprint_url: null,
}
