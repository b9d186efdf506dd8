/** What comes with the product and is not the operator's own yet. Remove the mark with the first edit. */
export interface Sample {
  readonly sample?: true
}

/** `id` chooses its icon or picture; one that no page knows has none. */
export interface Card {
  readonly id: string
  readonly title: string
  readonly text: string
}

/** Something that the operator says of the product or the company, for example "4.8/5.0 on the marketplace". */
export interface Claim extends Sample {
  readonly value: string
  readonly label: string
  /** Who says so, and when: shown beside it where it is given. */
  readonly source?: string
  readonly as_of?: string
}

/** Where samples are left, for example `claims.rating`. `npm run doctor` lists them; pages are marked by them. */
export function samplesIn(content: unknown, path = ''): readonly string[] {
  if (typeof content !== 'object' || content === null) return []
  if ('sample' in content) return [path]
  const below = Object.entries(content).flatMap(([name, part]) =>
    // All entries of a list are one place.
    samplesIn(part, Array.isArray(content) || path === '' ? path || name : `${path}.${name}`),
  )
  return [...new Set(below)]
}
