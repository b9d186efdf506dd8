import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWatchdog, type Watchdog } from '../processes/watchdog.ts'
import type { TestCounts } from './summary.ts'

export type PartInput = {
  readonly env: NodeJS.ProcessEnv
  /** Arguments for the runner itself: a folder, `-t name`. */
  readonly rest: readonly string[]
}

let watchdog: Watchdog | undefined

/** Runs a program in its own process group, which ends with it or with this process. */
export async function runCommand(options: {
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly output: 'shown' | 'kept'
}): Promise<{ ok: boolean; output: string }> {
  const kept = options.output === 'kept'
  const child = spawn(process.execPath, options.args, {
    env: options.env,
    detached: true,
    stdio: ['ignore', kept ? 'pipe' : 'inherit', kept ? 'pipe' : 'inherit'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  watchdog ??= startWatchdog()
  watchdog.watch(pid, 0, 'SIGTERM')
  const [code] = (await once(child, 'close')) as [number | null]
  watchdog.forget(pid)
  endGroup(pid)
  return { ok: code === 0, output }
}

/** Runs a test runner, and counts what it wrote into the file that TEST_SUMMARY_FILE names. */
export async function runCounted<Report>(
  { args, env }: { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv },
  count: (report: Report) => TestCounts,
): Promise<TestCounts> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tidemark-test-'))
  const file = join(folder.path, 'summary.json')
  const { ok } = await runCommand({ args, env: { ...env, TEST_SUMMARY_FILE: file }, output: 'shown' })
  const counts = count(JSON.parse(await readFile(file, 'utf8')) as Report)
  return !ok && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The usual case: there is nothing left in it.
  }
}
