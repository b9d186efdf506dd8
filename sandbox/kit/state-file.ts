import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** `[collection, id, value]`; a null value means that the object was deleted. */
export type Change = [collection: string, id: string, value: unknown]

export type StateFileOptions = {
  path: string
  /** As in the variable that names the file: `stripe` for SANDBOX_STRIPE_STATE_FILE. */
  service: string
  /** Reads a file of an earlier format; null when it is not one either. */
  readEarlierFormat?: (text: string) => Change[] | null
}

export type StateFile = {
  read(): Change[][]
  append(changes: Change[]): void
  /** Throws when another process has replaced our file; says when ours was deleted. */
  isDeleted(): boolean
  /** Replaces the whole file by these changes, through a rename, so that there is always one good file. */
  rewrite(changes: Change[]): void
  /** True when so much has been appended since the last rewrite that another one is worthwhile. */
  isLong(): boolean
  close(): void
}

const shortest_rewrite_bytes = 16 * 1024 * 1024

/**
 * The state file: one line of JSON for each operation, appended before the operation is answered. Writing the
 * whole state after a pause would cost more with every object and lose the latest changes on a `kill -9`;
 * this loses nothing that a caller was told.
 */
export function openStateFile({ path, service, readEarlierFormat }: StateFileOptions): StateFile {
  const header = `{"format":"sandbox-${service} journal 1"}`
  let file: number | null = null
  let bytes_at_rewrite = 0
  let bytes = 0

  return {
    read() {
      if (!existsSync(path)) return []
      const text = readFileSync(path, 'utf8')
      const [first, ...lines] = text.split('\n')
      if (first === header) return lines.flatMap(parseLine)
      const changes = readEarlierFormat?.(text)
      if (!changes) throw new Error(`${path} is not a state file of sandbox/${service}; move it away.`)
      return [changes]
    },

    append(changes) {
      file ??= openSync(path, 'a')
      bytes += writeWhole(file, `${JSON.stringify(changes)}\n`)
    },

    rewrite(changes) {
      if (file !== null) closeSync(file)
      mkdirSync(dirname(path), { recursive: true })
      // The file may hold keys and password hashes: no other user may read it.
      const next = openSync(`${path}.next`, 'w', 0o600)
      bytes = writeWhole(next, `${header}\n`)
      for (const change of changes) bytes += writeWhole(next, `${JSON.stringify([change])}\n`)
      fsyncSync(next)
      renameSync(`${path}.next`, path)
      file = next
      bytes_at_rewrite = bytes
    },

    isDeleted() {
      if (file === null || fstatSync(file).nlink > 0) return false
      if (existsSync(path)) {
        throw new Error(
          `Another process has taken over ${path}. Set SANDBOX_${service.toUpperCase()}_STATE_FILE to a file of its own for each sandbox.`,
        )
      }
      return true
    },

    isLong: () => bytes > Math.max(shortest_rewrite_bytes, 4 * bytes_at_rewrite),

    close() {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

/** A line that a crash cut off was never answered for, so it is dropped. */
function parseLine(line: string): Change[][] {
  if (line === '') return []
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** A write may take only part of the buffer (a full disk, a signal); the rest is written next. */
function writeWhole(file: number, text: string): number {
  const buffer = Buffer.from(text)
  let written = 0
  while (written < buffer.length) written += writeSync(file, buffer, written)
  return written
}
