import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const ownerFile = 'launcher.json'
/** SQLite's code for a database that another connection holds. */
const busy = 5

export type LauncherAddresses = {
  readonly url: string
  /** Where the sandboxes are, or would be if they had been started. */
  readonly stripe_port: number
  readonly clerk_port: number
}

/**
 * Claims a data folder for this launcher, before anything in it is touched: two launchers would write the
 * same database and state files. The claim is a lock of the operating system on a file (SQLite's exclusive
 * transaction), which two cannot get at once and which ends with the process, however that ends; the number
 * in a pid file could be another program's by now.
 */
export function lockDataFolder(dataDir: string) {
  mkdirSync(dataDir, { recursive: true })
  const owner = join(dataDir, ownerFile)
  const lock = tryLock(join(dataDir, 'launcher.lock'))
  if (!lock) throw new FolderInUseError(dataDir, describeOwner(owner))
  const write = (addresses: Partial<LauncherAddresses>) =>
    writeFileSync(owner, `${JSON.stringify({ pid: process.pid, ...addresses })}\n`)
  write({})
  /** The addresses are for a second launcher and for `npm run doctor`. */
  return { setAddresses: (addresses: LauncherAddresses) => write(addresses), release: () => lock.close() }
}

/** The lock of a file until it is closed, or the process ends; null while another one has it. */
export function tryLock(file: string): DatabaseSync | null {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    return null
  }
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

/** Written right after the lock is taken, so for a moment it may be missing or outdated. */
function describeOwner(file: string): string {
  const { pid, url } = readOwner(file)
  return `${url ? ` on ${url}` : ''}${pid ? ` (process ${pid})` : ''}`
}

/** Where the launcher of a data folder put the product; of one that has ended, too. */
export function readAddresses(dataDir: string): Partial<LauncherAddresses> {
  return readOwner(join(dataDir, ownerFile))
}

function readOwner(file: string): Partial<LauncherAddresses & { readonly pid: number }> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
