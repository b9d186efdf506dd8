type Values = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export interface Stores {
  /** Shared by all tabs. */
  readonly local: Values
  readonly session: Values
}

/** A browser that forbids storage gets one that forgets: then only what happens on this page is known. */
export function browserStores(): Stores {
  try {
    return { local: window.localStorage, session: window.sessionStorage }
  } catch {
    const values = new Map<string, string>()
    const memory: Values = {
      getItem: (name) => values.get(name) ?? null,
      setItem: (name, value) => void values.set(name, value),
      removeItem: (name) => void values.delete(name),
    }
    return { local: memory, session: memory }
  }
}
