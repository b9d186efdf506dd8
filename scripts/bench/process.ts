import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { repositoryRoot } from '../launch/script.ts'
import type { Watchdog } from '../processes/watchdog.ts'

/** A server or a worker, of the product or of a floor. */
export interface BenchProcess {
  /** Stops it where it is, so that it takes nothing of the machine and none of the work that piles up. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

export interface BenchProcessOptions {
  readonly script: string
  readonly env: NodeJS.ProcessEnv
  /** Part of the line that it writes when it works. */
  readonly readyLine: string
  /** Its output goes there without passing through this process, which has to be cheap. */
  readonly logFile: string
  readonly watchdog: Watchdog
}

const patienceMs = 60_000

export async function startBenchProcess(options: BenchProcessOptions): Promise<BenchProcess> {
  const log = await open(options.logFile, 'w')
  const child = spawn(process.execPath, [options.script], {
    cwd: repositoryRoot,
    env: options.env,
    stdio: ['ignore', log.fd, log.fd],
  })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  await log.close()
  const pid = child.pid ?? 0
  options.watchdog.watch(pid, 0, 'SIGKILL')
  const deadline = Date.now() + patienceMs
  for (;;) {
    const output = await readFile(options.logFile, 'utf8')
    if (output.includes(options.readyLine)) break
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${options.script} did not start:\n${output.slice(-2000)}`)
    }
    await delay(50)
  }
  return {
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL')
      await exited
      options.watchdog.forget(pid)
    },
  }
}
