import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type LaunchOptions, launchProduct, type RunningProduct } from '../launch.ts'
import { wholeOrNothing } from '../processes/whole-or-nothing.ts'

export interface ThrowawayProduct extends RunningProduct {
  readonly stripeSandboxUrl: string
  readonly clerkSandboxUrl: string
}

/** Launches the product with temporary data, whose delayed payments wait for a knob. */
export function launchThrowaway(options: {
  readonly logFile: string
  readonly databaseUrl?: string | undefined
}): Promise<ThrowawayProduct> {
  return wholeOrNothing(async (running) => {
    const dataDir = await makeDataFolder()
    running.defer(() => rm(dataDir, { recursive: true, force: true }))
    await mkdir(dirname(options.logFile), { recursive: true })
    const log = createWriteStream(options.logFile)
    running.defer(() => void log.end())
    const product = await launchAtStandIns({
      dataDir,
      env: {
        SANDBOX_STRIPE_DELAYED_PAYMENT_MS: 'never',
        ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
      },
      onLine: (line) => log.write(`${line}\n`),
    })
    running.defer(() => product.stop())
    return { ...product, stop: () => running.disposeAsync() }
  })
}

/** Postgres may run as another user, who has to reach it. */
export async function makeDataFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-throwaway-'))
  await chmod(dataDir, 0o711)
  return dataDir
}

/** Launches the product at the stand-ins, on free ports and without `.env`. */
export async function launchAtStandIns(
  options: Pick<LaunchOptions, 'dataDir' | 'demo'> & {
    readonly env?: Readonly<Record<string, string>>
    /** What the launcher and its processes write. */
    readonly onLine: (line: string) => void
  },
): Promise<ThrowawayProduct> {
  const { PATH, HOME } = process.env
  const ports = {
    PORT: '0',
    SANDBOX_STRIPE_PORT: '0',
    SANDBOX_CLERK_PORT: '0',
    SANDBOX_EDITOR_PORT: '0',
    SANDBOX_GATEWAY_PORT: '0',
  }
  // Tests spend with the tokens of editors.
  const metering = { METERED_BY: 'editor' }
  const product = await launchProduct({
    ...options,
    env: { PATH, HOME, ...ports, ...metering, ...options.env },
    onLine: (source, line) => options.onLine(`${source} ${line}`),
    say: options.onLine,
  })
  const { stripeSandboxUrl = '', clerkSandboxUrl = '' } = product
  return { ...product, stripeSandboxUrl, clerkSandboxUrl }
}
