import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './binaries.ts'
import { giveDataFolder, type PostgresIdentity } from './identity.ts'

const run = promisify(execFile)

/** Kept between runs beside the data. The launcher's process id marks a database in use. */
export type ClusterRecord = {
  readonly password: string
  readonly port: number
  readonly launcher_pid: number
}

/** `folder` holds all of one Postgres, so that deleting it is enough to start over. */
export const clusterPaths = (folder: string) => ({
  data: join(folder, 'cluster'),
  record: join(folder, 'connection.json'),
  log: join(folder, 'postgres.log'),
})

/** Creates the data folder unless there is one; what an interrupted run left incomplete is deleted. */
export async function ensureCluster(options: {
  readonly folder: string
  readonly binaries: PostgresBinaries
  readonly identity: PostgresIdentity
  readonly durable: boolean
  readonly initdb?: readonly string[] | undefined
}): Promise<{ readonly password: string; readonly port: number | undefined }> {
  const { data, record } = clusterPaths(options.folder)
  const existing = await readClusterRecord(options.folder)
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (existing && version) {
    await checkVersion({ data, version: version.trim(), binaries: options.binaries })
    await giveDataFolder(data, options.identity)
    return existing
  }
  if (version) {
    throw new Error(`${data} has no ${record} with its password. Delete ${options.folder} to start over.`)
  }
  const password = randomBytes(24).toString('base64url')
  const fresh = `${data}.new`
  await rm(fresh, { recursive: true, force: true })
  await giveDataFolder(fresh, options.identity)
  await initialize({ ...options, data: fresh, password })
  await writeClusterRecord(options.folder, { password, port: 0, launcher_pid: process.pid })
  await rename(fresh, data)
  return { password, port: undefined }
}

const builtinLocale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']

/** A built-in locale gives the same result on minimal Debian, on a Mac and in a container. */
async function initialize(options: {
  readonly data: string
  readonly password: string
  readonly binaries: PostgresBinaries
  readonly identity: PostgresIdentity
  readonly durable: boolean
  readonly initdb?: readonly string[] | undefined
}): Promise<void> {
  const { identity } = options
  const passwordFile = join(tmpdir(), `postgres-${randomBytes(12).toString('hex')}`)
  await writeFile(passwordFile, options.password, { mode: 0o600 })
  try {
    if (identity.owner) await chown(passwordFile, identity.owner.uid, identity.owner.gid)
    const [command = '', ...args] = [
      ...identity.prefix,
      options.binaries.initdb,
      `--pgdata=${options.data}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      ...(options.initdb ?? ['--encoding=UTF8', '--locale=C', ...builtinLocale]),
      ...(options.durable ? [] : ['--no-sync']),
    ]
    await run(command, args, { ...identity.spawn, cwd: '/', env: postgresEnvironment() })
  } finally {
    await rm(passwordFile, { force: true })
  }
}

/** Without the caller's environment: no PGPORT, PGDATA, LANG or LC_ALL. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', SystemRoot: process.env.SystemRoot }
}

async function checkVersion(options: { data: string; version: string; binaries: PostgresBinaries }) {
  const { stdout } = await run(options.binaries.initdb, ['--version'])
  const installed = /(\d+)/.exec(stdout)?.[1]
  if (installed === options.version) return
  throw new Error(
    `${options.data} was made by Postgres ${options.version}, and the install brings ${installed}. ` +
      'Export it with the old one, or delete the folder to start over.',
  )
}

export async function readClusterRecord(folder: string): Promise<ClusterRecord | undefined> {
  try {
    return JSON.parse(await readFile(clusterPaths(folder).record, 'utf8')) as ClusterRecord
  } catch {
    return undefined
  }
}

export async function writeClusterRecord(folder: string, record: ClusterRecord): Promise<void> {
  await mkdir(folder, { recursive: true })
  const path = clusterPaths(folder).record
  await writeFile(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
