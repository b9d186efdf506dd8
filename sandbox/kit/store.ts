import { Collection } from './collection.ts'
import { type Change, openStateFile, type StateFileOptions } from './state-file.ts'

export type Store<Tables extends Record<keyof Tables, { id: string }>> = {
  [Name in keyof Tables]: Collection<Tables[Name]>
} & {
  /** Writes all changes. Called before an answer is sent, so that a confirmed change is never lost. */
  flush(): void
  clear(): void
  close(): void
}

/** The tables of a service in memory, and in a file if given. Changes of one tick are one write. */
export function openStore<Tables extends Record<keyof Tables, { id: string }>>(
  names: readonly (keyof Tables & string)[],
  options: StateFileOptions | null,
): Store<Tables> {
  const file = options && openStateFile(options)
  let unwritten: Change[] = []
  let isFlushScheduled = false

  const record = (name: string) => (id: string, row: unknown) => {
    if (!file) return
    unwritten.push([name, id, row])
    if (isFlushScheduled) return
    isFlushScheduled = true
    setImmediate(flush)
  }

  const collections = Object.fromEntries(
    names.map((name) => [name, new Collection<{ id: string }>(record(name))]),
  )

  function flush() {
    isFlushScheduled = false
    if (!file || unwritten.length === 0) return
    const changes = unwritten
    unwritten = []
    try {
      if (file.isDeleted() || file.isLong()) file.rewrite(snapshot())
      else file.append(changes)
    } catch (error) {
      // A change that cannot be written must not be confirmed, so the process ends.
      setImmediate(() => {
        throw error
      })
      throw error
    }
  }

  function snapshot(): Change[] {
    return Object.entries(collections).flatMap(([name, rows]) =>
      [...rows.oldestFirst()].map((row): Change => [name, row.id, row]),
    )
  }

  function restore(changes: Change[]) {
    for (const [name, id, row] of changes) {
      if (row === null) collections[name]?.remove(id)
      else collections[name]?.put(row as { id: string })
    }
  }

  if (file) {
    file.read().forEach(restore)
    file.rewrite(snapshot())
    unwritten = []
  }

  return {
    ...collections,
    flush,
    clear() {
      for (const rows of Object.values(collections)) rows.removeWhere(() => true)
      flush()
      file?.rewrite([])
    },
    close() {
      flush()
      file?.close()
    },
  } as Store<Tables>
}
