export type Page<T> = { object: 'list'; data: T[]; has_more: boolean; url: string }

/** A list that comes whole, as those inside an object do. */
export function wholeList<T>(data: T[], url: string): Page<T> {
  return { object: 'list', data, has_more: false, url }
}

const embedded_length = 10

/** A list inside an object shows its first entries; the others are fetched from its url. */
export function firstEntries<T>(page: Page<T>): Page<T> {
  if (page.data.length <= embedded_length) return page
  return { ...page, data: page.data.slice(0, embedded_length), has_more: true }
}
