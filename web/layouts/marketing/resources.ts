import type { Brand } from '../../../schema/catalogue/brand.ts'

export function resources(brand: Brand) {
  return [
    { label: 'Feature Requests', note: 'Suggest ideas and vote in the community', href: brand.community_url },
    { label: 'Marketplace', note: 'Install the editor extension', href: brand.marketplace_url },
  ]
}
