import type { Brand } from '../../../schema/catalogue/brand.ts'
import type { legalPaths } from '../paths.ts'

export type LegalPath = (typeof legalPaths)[number]

interface LegalDocument {
  readonly title: string
  /** What the link to it is called. */
  readonly label: string
  readonly address: (brand: Brand) => string | null
}

/** The operator's documents; without an address a page of ours has the sample below. */
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

interface Section {
  readonly title: string
  readonly text: string
}

/** What a plain install shows until the operator has documents: short, and true of the product. */
export const legalSamples: Readonly<Record<LegalPath, readonly Section[]>> = {
  '/terms': [
    {
      title: 'What you buy',
      text: 'A plan includes credits every billing month. Credits included in a plan reset each month. Credits you buy separately never expire.',
    },
    {
      title: 'Renewal and cancellation',
      text: 'A plan renews at the end of each period until you cancel it in the billing portal. After you cancel, you keep the plan until the period you paid for ends.',
    },
    {
      title: 'Organizations',
      text: 'An administrator buys seats and decides who gets one. Credits of an organization belong to the organization, not to its members.',
    },
  ],
  '/privacy': [
    {
      title: 'What we keep',
      text: 'Your name, your email address, your purchases, and how many credits you used and when. Clerk keeps your sign-in. Stripe keeps your card and your billing address, and we never see the card number.',
    },
    {
      title: 'Your code',
      text: 'Your editor reports how many credits a request used and one line that describes it. Your files are not sent to your account.',
    },
    {
      title: 'Erasure',
      text: 'Write to support to have your personal data erased. Amounts and dates of payments are kept without your name, because tax law requires them.',
    },
  ],
  '/refunds': [
    {
      title: 'How to ask for a refund',
      text: 'Write to support with your receipt. A refund goes back to the card you paid with.',
    },
    {
      title: 'What happens to the credits',
      text: 'A refund removes the credits that the payment added, in proportion to the amount refunded. If you have already used them, your balance falls below zero until you add credits.',
    },
  ],
  '/imprint': [
    {
      title: 'Who operates this site',
      text: 'The legal name, postal address, register number and VAT ID of the operator belong here.',
    },
  ],
}
