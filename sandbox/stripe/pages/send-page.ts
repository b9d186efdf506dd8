import type { RouterContext } from '@koa/router'

/** Inline styles and script are the page's own; nothing may be loaded, and no other site may frame it. */
const content_policy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"

export function sendPage(context: RouterContext, markup: string): void {
  context.type = 'html'
  context.set('cache-control', 'no-store')
  context.set('content-security-policy', content_policy)
  context.body = markup
}
