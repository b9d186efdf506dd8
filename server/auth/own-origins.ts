const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * The origins our own pages run under. In development a page opened on 127.0.0.1 is the same as one on localhost; in
 * production there is exactly one.
 */
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
