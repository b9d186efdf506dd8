export type Metadata = Record<string, unknown>

/** A deep merge in which `null` removes a key, at any level. */
export function mergeMetadata(present: Metadata, changes: Metadata): Metadata {
  const merged: Metadata = { ...present }
  for (const [key, value] of Object.entries(changes)) {
    if (key === '__proto__') continue
    const before = merged[key]
    if (value === null) delete merged[key]
    else merged[key] = isObject(value) ? mergeMetadata(isObject(before) ? before : {}, value) : value
  }
  return merged
}

function isObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
