import { execFile } from 'node:child_process'
import { chown, lchown, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './binaries.ts'

const run = promisify(execFile)

/** How a Postgres program avoids running as root: by a command before it, or as another user. */
export type PostgresIdentity = {
  readonly prefix: readonly string[]
  readonly spawn: { readonly uid?: number; readonly gid?: number }
  /** The required owner of the data folder; undefined for the current user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined
}

type Account = { readonly name: string; readonly uid: number; readonly gid: number }

const self: PostgresIdentity = { prefix: [], spawn: {}, owner: undefined }

/**
 * Postgres refuses to run as root, which is the usual user in a container, and another user cannot reach a
 * clone below a private home. So it runs in a user namespace where root's files belong to an ordinary user,
 * or, in containers that forbid namespaces, as `postgres` with the capability to ignore file modes.
 */
export async function choosePostgresIdentity(binaries: PostgresBinaries): Promise<PostgresIdentity> {
  if (process.getuid?.() !== 0) return self
  const refusals: string[] = []
  for (const candidate of [inUserNamespace, withFileCapability]) {
    try {
      const identity = await candidate()
      const [command = '', ...args] = [...identity.prefix, binaries.postgres, '--version']
      await run(command, args, { ...identity.spawn, cwd: '/' })
      return identity
    } catch (error) {
      refusals.push(`  - ${error instanceof Error ? error.message.trim() : String(error)}`)
    }
  }
  throw new Error(
    `Postgres does not run as root, and no way around that works here:\n${refusals.join('\n')}\n` +
      'Start as another user, or set DATABASE_URL to a Postgres of your own.',
  )
}

/** initdb looks its user up by number, so the namespace maps root to one that /etc/passwd knows. */
async function inUserNamespace() {
  const accounts = await readAccounts()
  const account = accounts.find(({ uid }) => uid === 1000) ?? accounts.find(({ uid }) => uid !== 0)
  if (!account) throw new Error('the system has no user other than root')
  const prefix = ['unshare', '--user', `--map-user=${account.uid}`, `--map-group=${account.gid}`]
  return { prefix, spawn: {}, owner: { uid: 0, gid: 0 } } as const
}

async function withFileCapability() {
  const { uid, gid } = await findOrCreatePostgresUser()
  const capability = '+dac_override'
  const prefix = [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    `--inh-caps=${capability}`,
    `--ambient-caps=${capability}`,
  ]
  return { prefix, spawn: {}, owner: { uid, gid } } as const
}

async function findOrCreatePostgresUser(): Promise<Account> {
  const existing = (await readAccounts()).find(({ name }) => name === 'postgres')
  if (existing) return existing
  await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'postgres'])
  const created = (await readAccounts()).find(({ name }) => name === 'postgres')
  if (!created) throw new Error('the user postgres could not be created')
  return created
}

async function readAccounts(): Promise<Account[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n')
  return lines
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 7)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

/** Hands the data folder to the identity; a clone that moved may have been run under another one before. */
export async function giveDataFolder(dataDir: string, identity: PostgresIdentity): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const { uid, gid } = await stat(dataDir)
  if (!identity.owner) {
    if (process.getuid && uid !== process.getuid()) {
      throw new Error(
        `${dataDir} belongs to user ${uid}. Start as that user, or delete the folder to start over.`,
      )
    }
    return
  }
  if (uid === identity.owner.uid && gid === identity.owner.gid) return
  await chownTree(dataDir, identity.owner)
}

async function chownTree(path: string, owner: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid)
  }
  await chown(path, owner.uid, owner.gid)
}
