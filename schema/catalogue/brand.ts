import { z } from 'zod'

/**
 * What the product is called, where its external links lead, and what it claims. Every field can be overridden by the environment.
 * A link without an address and a claim that nobody made are not shown.
 */
export const brandSchema = z.object({
  name: z.string().min(1),
  support_email: z.email(),
  docs_url: z.url().nullable(),
  community_url: z.url().nullable(),
  marketplace_url: z.url().nullable(),
  /** Of five stars, at `marketplace_url`. */
  marketplace_rating: z.number().min(0).max(5).nullable(),
  /** For example "SOC 2 Type II". */
  security_certification: z.string().min(1).nullable(),
})
export type Brand = z.infer<typeof brandSchema>

export const defaultBrand: Brand = {
  name: 'Tidemark',
  support_email: 'support@tidemark.example',
  docs_url: null,
  community_url: null,
  marketplace_url: null,
  marketplace_rating: null,
  security_certification: null,
}
