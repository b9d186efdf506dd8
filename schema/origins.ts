import { loopbackNames } from './api/redirect-uri.ts'

/** The origins of our own pages. In development all loopback names count as one. */
export function ownOrigins(appUrl: string, options: { production: boolean }): string[] {
  const url = new URL(appUrl)
  if (options.production || !loopbackNames.includes(url.hostname)) return [url.origin]
  const others = loopbackNames.map((name) => {
    const other = new URL(url)
    other.hostname = name
    return other.origin
  })
  return [...new Set([url.origin, ...others])]
}
