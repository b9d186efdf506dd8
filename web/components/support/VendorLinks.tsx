import { ExternalLink } from 'lucide-react'

interface VendorLinksProps {
  /** The object of the link, for screen readers. */
  of: string
  links: { stripe: string | null; clerk: string | null }
}

/** Leads to the same object in Stripe's and Clerk's own pages; the sandbox has none. */
export function VendorLinks({ of, links }: VendorLinksProps) {
  return (
    <>
      {links.stripe && <VendorLink href={links.stripe} vendor="Stripe" of={of} />}
      {links.clerk && <VendorLink href={links.clerk} vendor="Clerk" of={of} />}
    </>
  )
}

function VendorLink({ href, vendor, of }: { href: string; vendor: string; of: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      aria-label={`${of} at ${vendor}`}
      className="inline-flex items-center gap-1 rounded-sm font-medium text-accent-text text-xs hover:underline"
    >
      {vendor}
      <ExternalLink aria-hidden="true" className="size-3" />
    </a>
  )
}
