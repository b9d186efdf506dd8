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

const stroke = html`width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"`

export const arrowIcon = html`<svg ${stroke}><path d="M19 12H5m6 6-6-6 6-6"/></svg>`
export const cardIcon = html`<svg ${stroke}><rect x="2.5" y="5" width="19" height="14" rx="2.5"/><path d="M2.5 10h19M6.5 15h3"/></svg>`
export const bankIcon = html`<svg ${stroke}><path d="M3 9.5 12 4l9 5.5M5 10v8m4.7-8v8m4.6-8v8M19 10v8M3 20.5h18"/></svg>`
export const checkIcon = html`<svg ${stroke}><path d="m5 12.5 4.5 4.5L19 7.5"/></svg>`
export const clockIcon = html`<svg ${stroke}><circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/></svg>`
export const questionIcon = html`<svg ${stroke}><path d="M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2.1M12 17.6v.1"/></svg>`
export const receiptIcon = html`<svg ${stroke}><path d="M6 3.5h12v17l-2.4-1.6-1.8 1.6-1.8-1.6-1.8 1.6-1.8-1.6L6 20.5zM9 8.5h6M9 12.5h6"/></svg>`
export const externalIcon = html`<svg ${stroke}><path d="M14 4.5h5.5V10M19.5 4.5 11 13M17.5 13.5v5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1h5"/></svg>`
