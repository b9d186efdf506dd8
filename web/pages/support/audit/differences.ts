export interface ChangedField {
  /** Where it is, e.g. `seats total`. */
  what: string
  before: string
  after: string
}

/** The changed fields between the states before and after an act, by their place. */
export function differencesOf(before: unknown, after: unknown): readonly ChangedField[] {
  const [was, is] = [flatten(before), flatten(after)]
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((what) => {
    const [one, other] = [was.get(what) ?? 'none', is.get(what) ?? 'none']
    return one === other ? [] : [{ what, before: one, after: other }]
  })
}

function flatten(value: unknown, path: readonly string[] = []): ReadonlyMap<string, string> {
  if (typeof value === 'object' && value !== null) {
    return new Map(
      Object.entries(value).flatMap(([name, inner]) => [...flatten(inner, [...path, nameOf(inner, name)])]),
    )
  }
  const text = value === null || value === undefined ? 'none' : String(value)
  return new Map([[path.join(' ').replaceAll('_', ' '), text]])
}

/** A row of a list is identified by its id, not by its position. */
function nameOf(inner: unknown, name: string): string {
  const isRow = typeof inner === 'object' && inner !== null && 'id' in inner && /^\d+$/.test(name)
  return isRow ? String(inner.id) : name
}
