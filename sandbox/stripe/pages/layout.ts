import type { RouterContext } from '@koa/router'
import { Html, html } from '../../kit/html.ts'
import { styles } from './styles.ts'

/** A whole document around a body. It loads no external assets, and search engines must not index it. */
export function page({
  title,
  body,
  script,
  styles: more = '',
}: {
  title: string
  body: Html
  script?: string
  styles?: string
}): string {
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(styles + more)}</style>
</head>
<body>
${body}
${script ? html`<script type="module">${new Html(script)}</script>` : null}
</body>
</html>
`
  return markup
}

export const sandboxBadge = html`<span class="badge" title="No real money moves here">Sandbox</span>`

/** Inline styles and script are the page's own; nothing may be loaded, and no other site may frame it. */
const content_policy =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"

export function sendPage(context: RouterContext, markup: string): void {
  context.type = 'html'
  context.set('cache-control', 'no-store')
  context.set('content-security-policy', content_policy)
  context.body = markup
}
