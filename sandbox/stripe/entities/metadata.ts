import { invalidRequest } from '../errors.ts'

/** Stripe merges metadata key by key; an empty value removes its key, an empty parameter removes all. */
export function mergeMetadata(
  existing: Record<string, string> | null,
  change: Record<string, string> | null | undefined,
): Record<string, string> {
  if (change === null) return {}
  const merged = Object.entries({ ...existing, ...change }).filter(([, value]) => value !== '')
  if (merged.length > 50) {
    throw invalidRequest('Metadata can have up to 50 keys.', { param: 'metadata' })
  }
  return Object.fromEntries(merged)
}
