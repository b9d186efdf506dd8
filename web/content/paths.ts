/** The pages that everybody may read: documents of their own, without the router of the account's pages. */
export const marketingPaths = ['/', '/pricing', '/teams', '/updates'] as const
export type MarketingPath = (typeof marketingPaths)[number]

/** A slash at the end makes no difference. */
export function findMarketingPath(path: string): MarketingPath | undefined {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return marketingPaths.find((known) => known === plain)
}
