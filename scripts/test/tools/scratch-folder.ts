import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../processes/alive.ts'

const memory = '/dev/shm'
/**
 * A folder for the tests' Postgres, which other users may traverse and which is disposable: in memory where
 * there is plenty of it, for every test file makes and drops a database of a thousand files. On a disk (ext4
 * without a journal, as virtual machines have it) nine tenths of that go into the search for an inode that
 * was not deleted a moment ago.
 */
export async function makeScratchFolder(name: string): Promise<string> {
  const isRoomy = await hasRoom()
  if (isRoomy) await removeLeft(name)
  const folder = await mkdtemp(join(isRoomy ? memory : tmpdir(), `${name}-${process.pid}-`))
  await chmod(folder, 0o711)
  return folder
}

/** The growth test's database and write log take 3.5 GB; everything else stays below one. */
async function hasRoom(): Promise<boolean> {
  // Read here: `npm run test:long` sets it after this file was loaded.
  const needed_bytes = (process.env.TEST_LONG === '1' ? 5 : 2) * 2 ** 30
  try {
    const { bavail, bsize } = await statfs(memory)
    return bavail * bsize > needed_bytes && process.availableMemory() > 2 * needed_bytes
  } catch {
    return false
  }
}

/** Memory is not given back by itself when a run was killed before it could tidy up. */
async function removeLeft(name: string): Promise<void> {
  for (const folder of await readdir(memory)) {
    const [, pid] = new RegExp(`^${name}-(\\d+)-\\w+$`).exec(folder) ?? []
    if (pid && !isAlive(Number(pid))) await rm(join(memory, folder), { recursive: true, force: true })
  }
}
