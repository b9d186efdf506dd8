import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type TableOf<Row extends { id: string }> = { row?: Row }

/** What a table holds, for the list of a service's tables. */
export const table = <Row extends { id: string }>(): TableOf<Row> => ({})

export type Store<Tables> = {
  [Name in keyof Tables]: Tables[Name] extends TableOf<infer Row> ? Collection<Row> : never
} & {
  /** Writes all changes. Called before an answer is sent, so that a confirmed change is never lost. */
  flush(): void
  clear(): void
  close(): void
}

/** The file that keeps a service's tables, as its variable SANDBOX_…_STATE_FILE names it. */
type StateFile = { path: string; service: string }

/**
 * The tables of a service in memory, and in a file of SQLite if given. Changes of one tick are one transaction,
 * which is written before its calls are answered: a `kill -9` loses nothing that a caller was told.
 */
export function openStore<Tables extends object>(tables: Tables, stateFile: StateFile | null): Store<Tables> {
  const file = stateFile && openFile(stateFile)
  let unwritten: [collection: string, id: string, row: unknown][] = []
  let isFlushScheduled = false

  const record = (name: string) => (id: string, row: unknown) => {
    if (!file) return
    unwritten.push([name, id, row])
    if (isFlushScheduled) return
    isFlushScheduled = true
    setImmediate(flush)
  }

  const collections = Object.fromEntries(
    Object.keys(tables).map((name) => [name, new Collection<{ id: string }>(record(name))]),
  )

  function flush() {
    isFlushScheduled = false
    if (!file || unwritten.length === 0) return
    const changes = unwritten
    unwritten = []
    try {
      file.write(changes)
    } catch (error) {
      // A change that cannot be written must not be confirmed, so the process ends.
      setImmediate(() => {
        throw error
      })
      throw error
    }
  }

  if (file) {
    for (const { collection, row } of file.read()) collections[collection]?.put(row)
    unwritten = []
  }

  return {
    ...collections,
    flush,
    clear() {
      for (const rows of Object.values(collections)) rows.removeWhere(() => true)
      flush()
    },
    close() {
      flush()
      file?.close()
    },
  } as Store<Tables>
}

/** SQLite's codes for a file that another process holds, and for one that is none of its own. */
const [busy, notADatabase] = [5, 26]

function openFile({ path, service }: StateFile) {
  mkdirSync(dirname(path), { recursive: true })
  // The file holds keys and password hashes: no other user may read it.
  closeSync(openSync(path, 'a', 0o600))
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    // The lock is kept until the process ends. What was written survives the process without being synced.
    file.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF;
      BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS rows (collection TEXT, id TEXT, row TEXT, PRIMARY KEY (collection, id));
      COMMIT`)
  } catch (error) {
    file.close()
    const { errcode } = error as { errcode?: number }
    if (errcode === notADatabase)
      throw new Error(`${path} is not a state file of sandbox/${service}; move it away.`)
    if (errcode !== busy) throw error
    throw new Error(
      `Another process uses ${path}. Set SANDBOX_${service.toUpperCase()}_STATE_FILE to a file of its own for each sandbox.`,
    )
  }
  const put = file.prepare(
    'INSERT INTO rows VALUES (?, ?, ?) ON CONFLICT (collection, id) DO UPDATE SET row = excluded.row',
  )
  const remove = file.prepare('DELETE FROM rows WHERE collection = ? AND id = ?')
  return {
    /** In the order in which they were made, which a row keeps when it is replaced. */
    read: () =>
      file
        .prepare('SELECT collection, row FROM rows ORDER BY rowid')
        .all()
        .map(({ collection, row }) => ({ collection: String(collection), row: JSON.parse(String(row)) })),
    write(changes: readonly [collection: string, id: string, row: unknown][]) {
      file.exec('BEGIN')
      for (const [collection, id, row] of changes) {
        if (row === null) remove.run(collection, id)
        else put.run(collection, id, JSON.stringify(row))
      }
      file.exec('COMMIT')
    },
    close: () => file.close(),
  }
}

/** An in-memory table in creation order that reports each change. Rows are replaced, never mutated. */
export class Collection<Row extends { id: string }> {
  readonly #positions = new Map<string, number>()
  readonly #rows: (Row | undefined)[] = []
  readonly #onChange: (id: string, row: Row | null) => void

  constructor(onChange: (id: string, row: Row | null) => void) {
    this.#onChange = onChange
  }

  get size(): number {
    return this.#positions.size
  }

  get(id: string | null | undefined): Row | undefined {
    const position = this.#positions.get(id ?? '')
    return position === undefined ? undefined : this.#rows[position]
  }

  put(row: Row): Row {
    const position = this.#positions.get(row.id) ?? this.#rows.length
    this.#positions.set(row.id, position)
    this.#rows[position] = row
    this.#onChange(row.id, row)
    return row
  }

  remove(id: string): void {
    const position = this.#positions.get(id)
    if (position === undefined) return
    this.#positions.delete(id)
    this.#rows[position] = undefined
    this.#onChange(id, null)
  }

  removeWhere(matches: (row: Row) => boolean): void {
    for (const { id } of this.filter(matches)) this.remove(id)
  }

  /** Removes the oldest matching rows until `keep` are left, and returns them. */
  trim(keep: number, matches: (row: Row) => boolean = () => true): Row[] {
    const found = this.filter(matches)
    const removed = found.slice(0, Math.max(0, found.length - keep))
    for (const { id } of removed) this.remove(id)
    return removed
  }

  find(matches: (row: Row) => boolean): Row | undefined {
    for (const row of this.oldestFirst()) if (matches(row)) return row
    return undefined
  }

  filter(matches: (row: Row) => boolean): Row[] {
    return [...this.oldestFirst()].filter(matches)
  }

  *oldestFirst(): Generator<Row> {
    for (const row of this.#rows) if (row) yield row
  }

  /** In the reverse order of creation, from before `startingAfter` on. */
  *newestFirst(startingAfter?: string): Generator<Row> {
    const start = startingAfter === undefined ? this.#rows.length : (this.#positions.get(startingAfter) ?? 0)
    for (let position = start - 1; position >= 0; position--) {
      const row = this.#rows[position]
      if (row) yield row
    }
  }
}
