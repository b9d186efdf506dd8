import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import type { BuildManifest, RenderPage } from '../schema/api/catalogue.ts'
import { findMarketingPath, marketingPaths } from './content/paths.ts'
import { MarketingSite } from './layouts/marketing/MarketingSite.tsx'
import { marketingPages } from './layouts/marketing/pages.ts'

export const paths: readonly string[] = marketingPaths

/** Runs in the server: web/dist/server/render.js. */
export const renderPage: RenderPage = async ({ path, state, template, manifest }) => {
  const known = findMarketingPath(path)
  if (!known) return undefined
  const { title, description, source, load } = marketingPages[known]
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
  // Last, so that they do not hold up the style sheet.
  const preloads = [...filesOf(manifest, source)].map(
    (file) => `  <link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}" />\n  `,
  )
  return template
    .replace('<!--page-head-->', () => head.join('\n    '))
    .replace('</head>', (end) => preloads.join('') + end)
    .replace('<!--page-->', () => page)
}

/** The page's own code, which its script would ask for only when it runs. */
function filesOf(manifest: BuildManifest, source: string): ReadonlySet<string> {
  const chunk = manifest[source]
  if (!chunk) return new Set()
  const imported = (chunk.imports ?? []).flatMap((name) => [...filesOf(manifest, name)])
  return new Set([chunk.file, ...imported])
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}
