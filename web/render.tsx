import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import type { RenderPage } from '../schema/api/catalogue.ts'
import { findMarketingPath, isPage, marketingPaths } from './content/paths.ts'
import { MarketingSite } from './layouts/marketing/MarketingSite.tsx'
import { marketingPages } from './layouts/marketing/pages.ts'

export { isPage }
export const paths: readonly string[] = marketingPaths

/** Runs in the server: web/dist/server/render.js. */
export const renderPage: RenderPage = async ({ path, state, template }) => {
  const known = findMarketingPath(path)
  if (!known) return undefined
  const { title, description, load } = marketingPages[known]
  const { name } = state.config.brand
  const page = renderToString(
    <StrictMode>
      <MarketingSite path={known} Page={await load()} state={state} />
    </StrictMode>,
  )
  const head = [
    `<title>${escapeHtml(title ? `${title} · ${name}` : name)}</title>`,
    `<meta name="description" content="${escapeHtml(description)}" />`,
  ]
  return template.replace('<!--page-head-->', () => head.join('\n    ')).replace('<!--page-->', () => page)
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}
