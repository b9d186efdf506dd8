import { z } from 'zod'

/** What the product is called and where its external links lead. Every field can be overridden by the environment. */
export const brandSchema = z.object({
  name: z.string().min(1),
  support_email: z.email(),
  docs_url: z.url(),
  community_url: z.url(),
  marketplace_url: z.url(),
})
export type Brand = z.infer<typeof brandSchema>

export const defaultBrand: Brand = {
  name: 'Tidemark',
  support_email: 'support@tidemark.example',
  docs_url: 'https://docs.tidemark.example',
  community_url: 'https://community.tidemark.example',
  marketplace_url: 'https://marketplace.tidemark.example',
}
