import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateToLatest } from '../../../schema/database/migrate.ts'
import { createDatabase } from '../../../scripts/database.ts'
import { clusterPaths, readClusterRecord, writeClusterRecord } from '../../../scripts/postgres/cluster.ts'
import { type RunningPostgres, startPostgres } from '../../../scripts/postgres.ts'
import { takeBaseBackup } from '../../restore/base-backup.ts'

export interface TestStandby {
  readonly primary: RunningPostgres
  readonly replica: RunningPostgres
  /** A migrated database on both. */
  readonly primaryUrl: string
  readonly replicaUrl: string
  stop(): Promise<void>
}

/** A Postgres and a streaming replica made from its base backup, on the loopback address. */
export async function startStandby(): Promise<TestStandby> {
  const running = new AsyncDisposableStack()
  try {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-standby-'))
    running.defer(() => rm(folder, { recursive: true, force: true }))
    await chmod(folder, 0o711)
    const [atPrimary, atReplica, archive] = ['primary', 'replica', 'archive'].map((name) =>
      join(folder, name),
    )
    if (!atPrimary || !atReplica || !archive) throw new Error('unreachable')
    const replication = { wal_level: 'replica', max_wal_senders: '4' }
    // The replica may still ask for log written during the backup.
    const settings = { ...replication, wal_keep_size: '512MB' }
    const primary = await startPostgres({ dataDir: atPrimary, durable: false, settings })
    running.defer(() => primary.stop())
    await createDatabase({ adminUrl: primary.url, name: 'tidemark' })
    await migrateToLatest({ connectionString: primary.urlOf('tidemark') })

    const { data } = clusterPaths(atReplica)
    await Promise.all([mkdir(archive), mkdir(atReplica)])
    await takeBaseBackup(primary.url, { data: clusterPaths(atPrimary).data, archive, backup: data })
    await writeFile(join(data, 'standby.signal'), '', { mode: 0o600 })
    const record = await readClusterRecord(atPrimary)
    const password = record?.password ?? ''
    await writeClusterRecord(atReplica, { password, port: 0, launcher_pid: process.pid })
    const replica = await startPostgres({
      dataDir: atReplica,
      durable: false,
      settings: {
        ...replication,
        primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres password=${password}`,
      },
    })
    running.defer(() => replica.stop())
    return {
      primary,
      replica,
      primaryUrl: primary.urlOf('tidemark'),
      replicaUrl: replica.urlOf('tidemark'),
      stop: () => running.disposeAsync(),
    }
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}
