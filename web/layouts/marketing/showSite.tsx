import { type ComponentType, type ReactNode, StrictMode, startTransition, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import type { PageState, WebConfig } from '../../../schema/api/catalogue.ts'
import type { MarketingPath } from '../../content/paths.ts'
import { MarketingSite } from './MarketingSite.tsx'

interface Site {
  root: Element
  path: MarketingPath
  Page: ComponentType
  /** What the server rendered the page from; nothing where it did not. */
  state: PageState | null
}

/** Hydrates the page that the server has rendered; resolves when it reacts to clicks. */
export async function showSite({ root, path, Page, state }: Site): Promise<void> {
  const pageState = state ?? (await developmentState())
  return new Promise((resolve) => {
    const site = (
      <StrictMode>
        <Shown onShown={resolve}>
          <MarketingSite path={path} Page={Page} state={pageState} />
        </Shown>
      </StrictMode>
    )
    // In slices, because the page can be read and scrolled already.
    if (state) startTransition(() => void hydrateRoot(root, site))
    else createRoot(root).render(site)
  })
}

function Shown({ onShown, children }: { onShown: () => void; children: ReactNode }): ReactNode {
  useEffect(onShown, [onShown])
  return children
}

/** Vite's development server sends the document without a rendered page and its state. */
async function developmentState(): Promise<PageState> {
  const response = await fetch('/api/config')
  const config = (await response.json()) as WebConfig
  return { config, signed_in: /__client_uat=[1-9]/.test(document.cookie) }
}
