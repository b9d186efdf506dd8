import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface WorkerProcess {
  readonly pid: number
  /** Everything it logged. */
  readonly lines: readonly string[]
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>
  /** Waits for the process to end, however it does. */
  readonly ended: Promise<void>
}

/** Starts the real worker and returns when it takes jobs. Short locks and sweeps keep the test short. */
export async function startWorkerProcess(options: {
  databaseUrl: string
  redisUrl?: string | undefined
  stripeUrl?: string
}): Promise<WorkerProcess> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, '../../worker/main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      DATABASE_URL: options.databaseUrl,
      REDIS_URL: options.redisUrl ?? '',
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_WEBHOOK_SECRET: 'whsec_unused',
      STRIPE_API_BASE: options.stripeUrl ?? 'http://127.0.0.1:1',
      CLERK_SECRET_KEY: 'sk_test_unused',
      CLERK_PUBLISHABLE_KEY: 'pk_test_unused',
      CLERK_WEBHOOK_SECRET: 'whsec_unused',
      JOB_LOCK_MS: '1000',
      JOB_STALLED_MS: '300',
      SWEEP_EVERY_MS: '300',
      SWEEP_AFTER_MS: '500',
    },
  })
  const lines: string[] = []
  const { stdout } = child
  if (!stdout) throw new Error('The worker has no output')
  const ended = once(child, 'exit').then(() => undefined)
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: stdout }).on('line', (line) => {
      lines.push(line)
      if (line.includes('Worker is ready')) resolve()
    })
    ended.then(() => reject(new Error(`The worker ended before it was ready:\n${lines.join('\n')}`)))
  })
  await ready
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
