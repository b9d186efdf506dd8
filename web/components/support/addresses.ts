import type { Case } from '../../api/support.ts'

/** The case of an owner, with an optional highlighted object, or of an object without a matching customer. */
export function traceAddress({ owner, kind, id }: Case): string {
  const query = new URLSearchParams({ ...(owner && { owner }), ...(kind && id && { kind, id }) })
  return `/support/trace?${query}`
}

/** The case of an item by its key, which is its kind and id. */
export function caseOfItem(owner: string, itemKey: string | null): Case {
  const [kind = '', ...rest] = itemKey?.split(':') ?? []
  return { owner, ...(itemKey && { kind, id: rest.join(':') }) }
}

export function searchAddress(q: string): string {
  return `/support/search?${new URLSearchParams({ q })}`
}

/** The same query with another value of one parameter, or without it. */
export function withParameter(search: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const next = new URLSearchParams(search)
  if (value) next.set(name, value)
  else next.delete(name)
  return next
}
