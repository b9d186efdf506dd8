import { rm } from 'node:fs/promises'
import { launchAtStandIns, makeDataFolder, type ThrowawayProduct } from '../../../scripts/launch/throwaway.ts'
import { madeForEachTest, madeOnce } from '../made.ts'
import { knobsAt } from '../services/sandbox.ts'

export interface LaunchedProduct extends ThrowawayProduct {
  readonly dataDir: string
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

async function launch(dataDir: string, options: { readonly demo?: boolean }): Promise<LaunchedProduct> {
  const lines: string[] = []
  const onLine = (line: string) => void lines.push(line)
  const product = await launchAtStandIns({ dataDir, ...options, onLine })
  return {
    ...product,
    dataDir,
    lines,
    turn: (sandbox, knob, body) => knobsAt(product[`${sandbox}SandboxUrl`]).knob(knob, body),
  }
}
