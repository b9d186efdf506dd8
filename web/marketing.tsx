import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import type { PageState, WebConfig } from '../schema/api/catalogue.ts'
import { readPageState } from './api/pageState.ts'
import { findMarketingPath } from './content/paths.ts'
import { MarketingSite } from './layouts/marketing/MarketingSite.tsx'
import { marketingPages } from './layouts/marketing/pages.ts'
import { reloadAfterRelease } from './reloadAfterRelease.ts'
import './ui/theme.css'

reloadAfterRelease()

const root = document.getElementById('root')
if (!root) throw new Error('marketing.html has no #root')

const path = findMarketingPath(window.location.pathname) ?? '/'
const rendered = readPageState()
const [state, Page] = await Promise.all([rendered ?? developmentState(), marketingPages[path].load()])
const site = (
  <StrictMode>
    <MarketingSite path={path} Page={Page} state={state} />
  </StrictMode>
)
// In slices, because the page can be read and scrolled already.
if (rendered) startTransition(() => void hydrateRoot(root, site))
else createRoot(root).render(site)

/** Vite's development server sends the document as it is, without a page and what it was rendered from. */
async function developmentState(): Promise<PageState> {
  const response = await fetch('/api/config')
  const config = (await response.json()) as WebConfig
  return { config, signed_in: /__client_uat=[1-9]/.test(document.cookie) }
}
