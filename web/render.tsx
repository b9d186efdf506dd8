import { clerkJSScriptUrl, clerkUIScriptUrl } from '@clerk/clerk-react/internal'
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import type { RenderPage, SignInScripts } from '../schema/api/catalogue.ts'
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

/**
 * Begins to load Clerk's scripts with the document, which Clerk's provider would do two round trips later, with
 * the script element that its loader looks for (`script[data-clerk-js-script]`, loadClerkJSScript in
 * @clerk/shared). The forms' script is fetched where visitors see a form, and run when it is shown.
 */
export const signInScripts: SignInScripts = ({ path, state }) => {
  const { publishable_key: publishableKey, proxy_url } = state.config.clerk
  const clerk = { publishableKey, ...(proxy_url && { proxyUrl: proxy_url }) }
  const hasForm = !state.signed_in && /^\/sign-(up|in)(\/|$)/.test(path)
  const script = clerkJSScriptUrl(clerk)
  return [
    // The script asks it with cookies, and so over another connection than the one by which it came.
    ...(proxy_url ? [] : [`<link rel="preconnect" href="${escapeHtml(new URL(script).origin)}">`]),
    `<script data-clerk-js-script async crossorigin="anonymous" src="${escapeHtml(script)}"`,
    ` data-clerk-publishable-key="${escapeHtml(publishableKey)}"`,
    `${proxy_url ? ` data-clerk-proxy-url="${escapeHtml(proxy_url)}"` : ''}></script>`,
    hasForm
      ? `<link rel="preload" as="script" crossorigin="anonymous" fetchpriority="low" href="${escapeHtml(clerkUIScriptUrl(clerk))}">`
      : '',
  ].join('')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}
