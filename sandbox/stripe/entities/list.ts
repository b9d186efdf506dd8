export type Page<T> = { object: 'list'; data: T[]; has_more: boolean; url: string }

/** A list that comes whole, as those inside an object do. */
export function wholeList<T>(data: T[], url: string): Page<T> {
  return { object: 'list', data, has_more: false, url }
}
