export type Category = 'performance' | 'accessibility' | 'best-practices' | 'seo'

interface MeasuredPage {
  readonly path: string
  readonly isSignedIn: boolean
  /** The least score of each category, from 0 to 100; a category without one is measured and shown. */
  readonly least: Readonly<Partial<Record<Category, number>>>
}

const perfect = { accessibility: 100, 'best-practices': 100, seo: 100 }

/**
 * Pages that one reads before one has decided must be fast. The others wait for Clerk's own script, whose
 * weight is not ours. Signed-out visitors and search engines do not see the dashboard, so it needs no score
 * there.
 */
export const measuredPages: readonly MeasuredPage[] = [
  { path: '/', isSignedIn: false, least: { performance: 95, ...perfect } },
  { path: '/pricing', isSignedIn: false, least: { performance: 95, ...perfect } },
  { path: '/sign-up', isSignedIn: false, least: perfect },
  {
    path: '/dashboard',
    isSignedIn: true,
    least: { accessibility: 100, 'best-practices': 100 },
  },
]

export const largestLayoutShift = 0.05
