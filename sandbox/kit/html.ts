import type { Context } from 'koa'

/** Markup that is safe to put into a page as it is. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

type Part = Html | Part[] | string | number | false | null | undefined

/** A template whose values are escaped, unless they are markup made by this same function. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(toMarkup)))
}

function toMarkup(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(toMarkup).join('')
  return part instanceof Html ? part.markup : escapeHtml(String(part))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

type Document = { title: string; styles: string; body: Html; script?: string | undefined }

/** Sends a whole page. It loads nothing from elsewhere, may not be framed, and search engines do not index it. */
export function sendDocument(context: Context, { title, styles, body, script }: Document): void {
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(styles)}</style>
</head>
<body>
${body}
${script ? html`<script type="module">${new Html(script)}</script>` : null}
</body>
</html>
`
  context.type = 'html'
  context.set('cache-control', 'no-store')
  // Styles and script are the page's own.
  const scripts = script ? " script-src 'unsafe-inline';" : ''
  context.set(
    'content-security-policy',
    `default-src 'none'; style-src 'unsafe-inline';${scripts} img-src data:; base-uri 'none'; frame-ancestors 'none'`,
  )
  context.body = markup
}

/** After a change the browser fetches the next page, so that going back or reloading repeats nothing. */
export function seeOther(context: Context, address: string): void {
  context.status = 303
  context.set('location', address)
}
