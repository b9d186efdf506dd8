import published from '../wire/published-fields.json' with { type: 'json' }

type Nullable<T> = { [Name in keyof T]-?: null extends T[Name] ? Name : never }[keyof T]

const empty = new Map(
  Object.entries(published).map(([object, fields]) => [
    object,
    Object.fromEntries(Object.keys(fields).map((name) => [name, null])),
  ]),
)

/** An object with every field of Stripe's published example; one that may be null and is not given is null. */
export function asPublished<T extends { object: string }>(given: Omit<T, Nullable<T>> & Partial<T>): T {
  return { ...empty.get(String(given.object)), ...given } as unknown as T
}

export const { evidence: noEvidence } = published.dispute
