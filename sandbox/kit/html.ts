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
