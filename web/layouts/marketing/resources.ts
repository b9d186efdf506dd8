import type { Brand } from '../../../schema/catalogue/brand.ts'

/** The site's own page unless there is a documentation site. */
export const docsLink = (brand: Brand) => brand.docs_url ?? '/docs'

export const mainLinks = (brand: Brand) =>
  [
    ['Pricing', '/pricing'],
    ['Features', '/#features'],
    ['Docs', docsLink(brand)],
  ] as const

interface Resource {
  readonly label: string
  readonly note: string
  readonly href: string
}

/** Requests go to the forum if there is one, and to support otherwise. */
export function resources(brand: Brand): Resource[] {
  const requests = brand.community_url ?? `mailto:${brand.support_email}?subject=Feature%20request`
  return [
    { label: 'Updates', note: 'What is new, release by release', href: '/updates' },
    {
      label: 'Feature Requests',
      note: brand.community_url ? 'Suggest ideas and vote in the community' : 'Tell us what you are missing',
      href: requests,
    },
    ...(brand.marketplace_url
      ? [{ label: 'Marketplace', note: 'Install the editor extension', href: brand.marketplace_url }]
      : []),
  ]
}
