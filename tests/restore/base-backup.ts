import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'

interface Folders {
  readonly data: string
  /** Where finished segments of the log go. */
  readonly archive: string
  readonly backup: string
}

/** What a running Postgres does so that every finished segment of its log is kept. */
export const archiving = (archive: string) => ({
  archive_mode: 'on',
  archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
})

/**
 * A base backup of a running cluster by Postgres's low-level interface, which needs no client program
 * (https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP): the files as
 * they are while they are written, and the log from which Postgres makes them one state again.
 */
export async function takeBaseBackup(url: string, { data, archive, backup }: Folders): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("SELECT pg_backup_start('drill', fast => true)")
    await copyTree(data, backup, isBackedUp)
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => true)',
    )
    await writeFile(join(backup, 'backup_label'), rows[0]?.labelfile ?? '', { mode: 0o600 })
    await copyTree(archive, join(backup, 'pg_wal'))
  } finally {
    await client.end()
  }
}

/** Archives the present log segment, as `archive_timeout` does after a while. */
export async function archiveEverything(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('CHECKPOINT')
    const { rows } = await client.query<{ segment: string }>(
      'SELECT pg_walfile_name(pg_switch_wal()) AS segment',
    )
    const segment = rows[0]?.segment ?? ''
    for (;;) {
      const { rows: archived } = await client.query<{ is_there: boolean }>(
        'SELECT last_archived_wal >= $1 AS is_there FROM pg_stat_archiver',
        [segment],
      )
      if (archived[0]?.is_there) return
      await client.query('SELECT pg_sleep(0.05)')
    }
  } finally {
    await client.end()
  }
}

/** Puts the backup in place. With the archive Postgres recovers up to the last kept segment. */
export async function putBack(
  { data, archive, backup }: Folders,
  { with_archive }: { readonly with_archive: boolean },
): Promise<Record<string, string>> {
  await rm(data, { recursive: true, force: true })
  await copyTree(backup, data)
  if (!with_archive) return {}
  await writeFile(join(data, 'recovery.signal'), '', { mode: 0o600 })
  return { restore_command: `cp ${archive}/%f %p` }
}

/** The log comes from the archive; a cluster that runs writes a new process id and new state of its own. */
function isBackedUp(path: string): boolean {
  return !/^(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+|pg_dynshmem\/.+|pg_stat_tmp\/.+|.*pgsql_tmp.*)$/.test(
    path,
  )
}

async function copyTree(
  from: string,
  to: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1)
    if (!isWanted(path)) continue
    const target = join(to, path)
    if (entry.isDirectory()) await mkdir(target, { recursive: true, mode: 0o700 })
    else {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      // Postgres restores or removes a file that the cluster removed meanwhile, from the log.
      await copyFile(join(from, path), target, constants.COPYFILE_FICLONE).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error
        },
      )
    }
  }
}
