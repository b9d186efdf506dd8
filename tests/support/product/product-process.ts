import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ProductProcess {
  readonly pid: number
  readonly lines: readonly string[]
  /** Its log line when ready, e.g. with the server's port. */
  readonly ready: Readonly<Record<string, unknown>>
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>
  /** Asks it to stop, as its operator does. */
  terminate(): void
  /** The process's exit code, or null after a signal that it did not handle. */
  readonly ended: Promise<number | null>
}

export interface ProductProcessOptions {
  readonly databaseUrl: string
  readonly redisUrl?: string | undefined
  readonly stripeUrl?: string
  /** More variables of its environment. */
  readonly env?: Record<string, string>
}

export const webhookSecret = 'whsec_test'

/** Where Node keeps what it made of the sources, for the next start; scripts/run.mjs names the folder. */
export const compileCache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/** Starts the real server or worker and returns when it works. Short locks and claims keep the test short. */
export async function startProductProcess(
  room: 'server' | 'worker',
  options: ProductProcessOptions,
): Promise<ProductProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `../../../${room}/main.ts`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      ...compileCache,
      NODE_ENV: 'test',
      PORT: '0',
      APP_URL: 'http://localhost:3000',
      DATABASE_URL: options.databaseUrl,
      REDIS_URL: options.redisUrl ?? '',
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_CALLS_PER_SECOND: '1000',
      STRIPE_API_BASE: options.stripeUrl ?? 'http://127.0.0.1:1',
      CLERK_SECRET_KEY: 'sk_test_unused',
      CLERK_PUBLISHABLE_KEY: `pk_test_${Buffer.from('clerk.local.test$').toString('base64')}`,
      CLERK_WEBHOOK_SECRET: 'whsec_unused',
      JOB_LOCK_MS: '1000',
      JOB_STALLED_MS: '300',
      CLAIM_EVERY_MS: '300',
      CLAIM_AFTER_MS: '500',
      METERED_BY: 'editor',
      ...options.env,
    },
  })
  const lines: string[] = []
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const sentence = room === 'server' ? 'Server is ready' : 'Worker is ready'
  const ready = await new Promise<Record<string, unknown>>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      if (line.includes(sentence)) resolve(JSON.parse(line))
    })
    ended.then(() => reject(new Error(`The ${room} ended before it was ready:\n${lines.join('\n')}`)))
  })
  return {
    pid: child.pid ?? 0,
    lines,
    ready,
    ended,
    terminate: () => void child.kill('SIGTERM'),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
