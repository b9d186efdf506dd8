import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLite's code for a database that another connection holds. */
const busy = 5

export type DataLock = {
  /** Where this launcher's product is opened, for whoever comes second. */
  readonly setUrl: (url: string) => void
  readonly release: () => void
}

/**
 * Claims a data folder for this launcher, before anything in it is touched: two launchers would write the same database
 * and state files. The claim is a lock of the operating system on a file (SQLite's exclusive transaction), which two cannot
 * get at once and which ends with the process, however that ends; the number in a pid file could be another program's by
 * now.
 */
export function lockDataFolder(dataDir: string): DataLock {
  mkdirSync(dataDir, { recursive: true })
  const owner = join(dataDir, 'launcher.json')
  const lock = new DatabaseSync(join(dataDir, 'launcher.lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new FolderInUseError(dataDir, describeOwner(owner))
  }
  const write = (fields: object) =>
    writeFileSync(owner, `${JSON.stringify({ pid: process.pid, ...fields })}\n`)
  write({})
  return { setUrl: (url) => write({ url }), release: () => lock.close() }
}

export class FolderInUseError extends Error {
  constructor(dataDir: string, owner: string) {
    super(
      `This clone is already running${owner}. Use that one, or stop it first: both would write ${dataDir}. ` +
        'A second product beside it needs a clone and ports of its own.',
    )
    this.name = 'FolderInUseError'
  }
}

/** The file is written right after the lock was taken, so for a moment it may be missing or an earlier one's. */
function describeOwner(file: string): string {
  try {
    const { pid, url } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; url?: string }
    return `${url ? ` on ${url}` : ''} (process ${pid})`
  } catch {
    return ''
  }
}
