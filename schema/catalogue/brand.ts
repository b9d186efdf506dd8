import * as z from 'zod/mini'

/**
 * The product's name, its external links and its claims. The environment can override each field. A link
 * without an address and a claim without a text are not shown.
 */
export const brandSchema = z.object({
  name: z.string().check(z.minLength(1)),
  support_email: z.email(),
  docs_url: z.nullable(z.url()),
  community_url: z.nullable(z.url()),
  marketplace_url: z.nullable(z.url()),
  /** The operator's documents; without an address the site has a sample of each. */
  terms_url: z.nullable(z.url()),
  privacy_url: z.nullable(z.url()),
  refunds_url: z.nullable(z.url()),
  imprint_url: z.nullable(z.url()),
  /** Out of five stars, at `marketplace_url`. */
  marketplace_rating: z.nullable(z.number().check(z.minimum(0), z.maximum(5))),
  /** For example "SOC 2 Type II". */
  security_certification: z.nullable(z.string().check(z.minLength(1))),
})
export type Brand = z.infer<typeof brandSchema>

export const defaultBrand: Brand = {
  name: 'Tidemark',
  support_email: 'support@tidemark.example',
  docs_url: null,
  community_url: null,
  marketplace_url: null,
  terms_url: null,
  privacy_url: null,
  refunds_url: null,
  imprint_url: null,
  marketplace_rating: null,
  security_certification: null,
}
