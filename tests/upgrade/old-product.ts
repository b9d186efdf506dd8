import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { repositoryRoot } from '../../scripts/launch/script.ts'
import type { ThrowawayProduct } from '../../scripts/launch/throwaway.ts'
import { startWatchdog } from '../../scripts/processes/watchdog.ts'
import { compileCache } from '../support/product/product-process.ts'

const run = promisify(execFile)

export type OldProduct = Omit<ThrowawayProduct, 'stop'> & {
  /** What its processes wrote. */
  readonly logFile: string
  /** Whose code runs. */
  readonly code: string
}

/**
 * The product of a commit at a database of its version: server, worker and stand-ins. Where the history does
 * not reach back to the commit, as in a shallow clone, it is that of this checkout, which migrates the database first.
 */
export async function startOldProduct(
  { commit, databaseUrl }: { readonly commit: string; readonly databaseUrl: string },
  running: AsyncDisposableStack,
): Promise<OldProduct> {
  const isThere = await git('cat-file', '-e', `${commit}^{commit}`).then(
    () => true,
    () => false,
  )
  const root = isThere ? await checkOut(commit, running) : repositoryRoot
  const child = spawn(process.execPath, [join(import.meta.dirname, 'launch.ts'), root, databaseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...compileCache },
  })
  const ended = once(child, 'exit')
  const watchdog = startWatchdog()
  watchdog.watch(child.pid ?? 0, 0, 'SIGTERM')
  running.defer(async () => {
    child.kill('SIGTERM')
    await ended
    watchdog.close()
  })
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error('The old product ended before it was ready.'))),
  ])
  return { ...JSON.parse(line), code: isThere ? `commit ${commit}` : 'this checkout' }
}

const git = (...args: string[]) => run('git', args, { cwd: repositoryRoot })

async function checkOut(commit: string, running: AsyncDisposableStack): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tidemark-old-'))
  running.defer(() => rm(root, { recursive: true, force: true }))
  const archive = join(root, 'archive.tar')
  await git('archive', `--output=${archive}`, commit)
  await run('tar', ['-xf', archive, '-C', root])
  await symlink(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'))
  return root
}
