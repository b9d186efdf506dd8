import type { Brand } from '../../schema/catalogue/brand.ts'
import type { legalPaths } from './paths.ts'

export type LegalPath = (typeof legalPaths)[number]

interface LegalDocument {
  readonly title: string
  /** What the link to it is called. */
  readonly label: string
  readonly address: (brand: Brand) => string | null
}

/** The operator's documents; without an address a page of ours has a sample (pages/legal/samples.ts). */
export const legalDocuments: Readonly<Record<LegalPath, LegalDocument>> = {
  '/terms': {
    title: 'Terms of service',
    label: 'Terms',
    address: (brand) => brand.terms_url,
  },
  '/privacy': {
    title: 'Privacy policy',
    label: 'Privacy',
    address: (brand) => brand.privacy_url,
  },
  '/refunds': {
    title: 'Refund policy',
    label: 'Refunds',
    address: (brand) => brand.refunds_url,
  },
  '/imprint': {
    title: 'Imprint',
    label: 'Imprint',
    address: (brand) => brand.imprint_url,
  },
}

export function legalLink(path: LegalPath, brand: Brand): { label: string; href: string } {
  const { label, address } = legalDocuments[path]
  return { label, href: address(brand) ?? path }
}
