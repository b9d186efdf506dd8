import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { launchProduct, type RunningProduct } from '../launch.ts'

export interface ThrowawayProduct extends RunningProduct {
  readonly stripeSandboxUrl: string
  readonly clerkSandboxUrl: string
}

/** Launches the product at the stand-ins, on free ports, with temporary data and without `.env`. */
export async function launchThrowaway(options: {
  readonly logFile: string
  readonly databaseUrl?: string | undefined
}): Promise<ThrowawayProduct> {
  const running = new AsyncDisposableStack()
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-throwaway-'))
    await chmod(dataDir, 0o711)
    running.defer(() => rm(dataDir, { recursive: true, force: true }))
    await mkdir(dirname(options.logFile), { recursive: true })
    const log = createWriteStream(options.logFile)
    running.defer(() => void log.end())
    const { PATH, HOME } = process.env
    const product = await launchProduct({
      env: {
        PATH,
        HOME,
        PORT: '0',
        SANDBOX_STRIPE_PORT: '0',
        SANDBOX_CLERK_PORT: '0',
        SANDBOX_EDITOR_PORT: '0',
        // A bank debit settles when a test asks for it, not by time.
        SANDBOX_STRIPE_DELAYED_PAYMENT_MS: 'never',
        ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
      },
      dataDir,
      onLine: (source, line) => log.write(`${source} ${line}\n`),
      say: (message) => log.write(`${message}\n`),
    })
    running.defer(() => product.stop())
    const { stripeSandboxUrl, clerkSandboxUrl } = product
    if (!stripeSandboxUrl || !clerkSandboxUrl) throw new Error('A stand-in was not started.')
    return { ...product, stripeSandboxUrl, clerkSandboxUrl, stop: () => running.disposeAsync() }
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}
