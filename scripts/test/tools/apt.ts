import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Why packages cannot be installed; undefined when they can. */
export async function whyNoApt(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'this is not Linux'
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  if (!/^ID(_LIKE)?=.*debian/m.test(release)) return 'this is not Debian'
  if (process.getuid?.() !== 0) return 'apt-get needs root'
  return undefined
}

let updated: Promise<unknown> | undefined
/** dpkg holds one lock for all, so installs wait for each other. */
let last: Promise<unknown> = Promise.resolve()

/** Installs quietly; the error has apt's own message. */
export function installWithApt(packages: readonly string[]): Promise<void> {
  const install = last.then(async () => {
    updated ??= apt(['update'])
    await updated
    await apt(['install', '--yes', '--no-install-recommends', ...packages])
  })
  last = install.catch(() => undefined)
  return install
}

async function apt(args: readonly string[]): Promise<void> {
  const options = ['-qq', '-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=300']
  await run('apt-get', [...options, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 15 * 60_000,
    maxBuffer: 1 << 26,
  }).catch((error) => {
    throw new Error(`apt-get ${args[0]} failed: ${lastWords(error)}`, { cause: error })
  })
}

/** The last line that a failed program wrote, which is where the reason is; else how it ended. */
export function lastWords(error: { stderr?: string; code?: unknown; message: string }): string {
  const line = error.stderr?.trim().split('\n').at(-1)
  return line || (error.code === undefined ? error.message : `exit code ${error.code}`)
}
