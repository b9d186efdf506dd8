import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchProduct, type RunningProduct } from '../../../scripts/launch.ts'
import { madeForEachTest, madeOnce } from '../made.ts'

export interface LaunchedProduct extends RunningProduct {
  readonly dataDir: string
  readonly stripeSandboxUrl: string
  readonly clerkSandboxUrl: string
  /** What the launcher and its processes wrote. */
  readonly lines: readonly string[]
  turn<T>(sandbox: 'stripe' | 'clerk', knob: string, body?: object): Promise<T>
}

/** The whole product as `npm start` launches it, with data of its own and free ports. */
export function launchedProduct(options: { readonly demo?: boolean } = {}): LaunchedProduct {
  return madeOnce(
    async () => launch(await makeDataFolder(), options),
    async ({ stop, dataDir }) => {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  )
}

/** A data folder for one launch after the other; what still runs is stopped at the end of the test. */
export function launcherOfOneFolder() {
  return madeForEachTest(
    async () => {
      const dataDir = await makeDataFolder()
      const running = new AsyncDisposableStack()
      running.defer(() => rm(dataDir, { recursive: true, force: true }))
      return {
        dataDir,
        running,
        async launch(options: { readonly demo: boolean }) {
          const product = await launch(dataDir, options)
          running.defer(product.stop)
          return product
        },
      }
    },
    ({ running }) => running.disposeAsync(),
  )
}

async function makeDataFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-launch-'))
  await chmod(dataDir, 0o711)
  return dataDir
}

async function launch(dataDir: string, { demo = false }: { demo?: boolean }): Promise<LaunchedProduct> {
  const { PATH, HOME } = process.env
  const lines: string[] = []
  const product = await launchProduct({
    env: {
      PATH,
      HOME,
      PORT: '0',
      SANDBOX_STRIPE_PORT: '0',
      SANDBOX_CLERK_PORT: '0',
      SANDBOX_EDITOR_PORT: '0',
    },
    dataDir,
    demo,
    onLine: (source, line) => lines.push(`${source} ${line}`),
    say: (message) => lines.push(message),
  })
  const urls = { stripe: product.stripeSandboxUrl ?? '', clerk: product.clerkSandboxUrl ?? '' }
  return {
    ...product,
    stripeSandboxUrl: urls.stripe,
    clerkSandboxUrl: urls.clerk,
    dataDir,
    lines,
    async turn<T>(sandbox: 'stripe' | 'clerk', knob: string, body: object = {}) {
      const response = await fetch(`${urls[sandbox]}/_sandbox/${knob}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${knob}: ${response.status} ${await response.text()}`)
      return (await response.json()) as T
    },
  }
}
