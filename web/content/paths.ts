export const legalPaths = ['/terms', '/privacy', '/refunds', '/imprint'] as const

/** The pages that everybody may read: documents of their own, without the router of the account's pages. */
export const marketingPaths = ['/', '/pricing', '/teams', '/updates', '/docs', ...legalPaths] as const
export type MarketingPath = (typeof marketingPaths)[number]

/** A slash at the end makes no difference. */
export function findMarketingPath(path: string): MarketingPath | undefined {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return marketingPaths.find((known) => known === plain)
}

/** The pages of the router as it writes them, by their layout. It has a page for each (routes.tsx). */
export const focusPaths = [
  '/sign-up/*',
  '/sign-in/*',
  '/invite/:organizationId/:invitationId',
  '/auth/post-signup',
  '/auth/vscode-initiate',
  '/auth/vscode-callback',
  '/extension-signin',
  '/billing/success',
  '/payment/success',
  '/payment/cancelled',
  '/teams/start',
  '/profile',
] as const
export const accountPaths = ['/dashboard', '/billing', '/organizations'] as const
export const supportPaths = [
  '/support',
  '/support/search',
  '/support/trace',
  '/support/reconciliation',
  '/support/statement',
  '/support/audit',
] as const
export type AppPath = (typeof focusPaths | typeof accountPaths | typeof supportPaths)[number]

const pagePatterns = [...marketingPaths, ...focusPaths, ...accountPaths, ...supportPaths].map((path) =>
  path.split('/'),
)

/** Whether there is a page at this address, by the router's rules: ":" names a part, "*" is any rest. */
export function isPage(path: string): boolean {
  const parts = path.split('/')
  if (parts.length > 2 && parts.at(-1) === '') parts.pop()
  return pagePatterns.some((pattern) => {
    const hasRest = pattern.at(-1) === '*'
    const fixed = hasRest ? pattern.slice(0, -1) : pattern
    if (hasRest ? parts.length < fixed.length : parts.length !== fixed.length) return false
    return fixed.every((part, index) =>
      part.startsWith(':') ? parts[index] !== '' : part === parts[index]?.toLowerCase(),
    )
  })
}
