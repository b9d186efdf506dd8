import './ui/theme.css'
import { readPageState } from './api/catalogue.ts'
import { prefetchAtFirstMove } from './auth/earlyFiles.ts'
import { findMarketingPath } from './content/paths.ts'
import { marketingPages } from './layouts/marketing/pages.ts'
import { reloadAfterRelease } from './reloadAfterRelease.ts'

declare global {
  interface Window {
    /** Set by public/early-clicks.js. */
    readonly earlyClicks: {
      /** Resolves at the first click on an element that needs the page's scripts. */
      readonly first: Promise<void>
      /** Repeats the earlier clicks and stops recording. */
      repeat(): void
    }
  }
}

reloadAfterRelease()

const root = document.getElementById('root')
if (!root) throw new Error('marketing.html has no #root')

const path = findMarketingPath(window.location.pathname) ?? '/'
const state = readPageState()
// The page can be read without its scripts, so they take no bandwidth from what the first paint waits for.
// In development there is nothing to paint yet.
if (state) await Promise.race([firstPaint(), window.earlyClicks.first])
const [{ showSite }, Page] = await Promise.all([
  import('./layouts/marketing/showSite.tsx'),
  marketingPages[path].load(),
])
await showSite({ root, path, Page, state })
window.earlyClicks.repeat()
if (state) prefetchAtFirstMove(state.signed_in ? '/dashboard' : '/sign-up')

function firstPaint(): Promise<void> {
  return new Promise((resolve) => {
    new PerformanceObserver((paints) => {
      if (paints.getEntriesByName('first-contentful-paint').length > 0) resolve()
    }).observe({ type: 'paint', buffered: true })
  })
}
