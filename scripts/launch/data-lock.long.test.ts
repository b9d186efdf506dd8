import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { madeForEachTest } from '../../tests/support/made.ts'
import { FolderInUseError, lockDataFolder } from './data-lock.ts'

const place = madeForEachTest(
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-lock-'))
    const running = new AsyncDisposableStack()
    running.defer(() => rm(folder, { recursive: true, force: true }))
    return { folder, running }
  },
  ({ running }) => running.disposeAsync(),
)

/** Concurrent launchers that claim the folder; each prints `got` or the reason, and runs until killed. */
function claimInProcesses(count: number) {
  const program = `
    import { lockDataFolder } from ${JSON.stringify(join(import.meta.dirname, 'data-lock.ts'))}
    try {
      lockDataFolder(${JSON.stringify(join(place.folder, 'data'))}).setAddresses({ url: 'http://localhost:' + process.pid })
      console.log('got')
    } catch (error) {
      console.log(error.message)
    }
    setInterval(() => undefined, 1000)`
  return Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit')
      const kill = async () => {
        child.kill('SIGKILL')
        await exited
      }
      place.running.defer(kill)
      const [said] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
      return { said, pid: child.pid, kill }
    }),
  )
}

test('one of several launchers that start at once in a new clone gets the folder, and the others say so', async () => {
  const launchers = await claimInProcesses(4)
  const said = launchers.map((launcher) => launcher.said)
  await Promise.all(launchers.map((launcher) => launcher.kill()))
  expect(said.filter((line) => line === 'got')).toHaveLength(1)
  for (const line of said.filter((other) => other !== 'got')) {
    expect(line).toMatch(/^This clone is already running/)
  }
})

test('a second launcher is told which one is running, and what to do', async () => {
  const [first] = await claimInProcesses(1)
  const dataDir = join(place.folder, 'data')
  expect(() => lockDataFolder(dataDir)).toThrow(FolderInUseError)
  expect(() => lockDataFolder(dataDir)).toThrow(
    `This clone is already running on http://localhost:${first?.pid} (process ${first?.pid}). Use that one, or stop it first`,
  )
  expect(await readFile(join(dataDir, 'launcher.json'), 'utf8')).toContain(`${first?.pid}`)
  await first?.kill()
})

test('a killed launcher holds nothing, and one that ends gives the folder back', async () => {
  const [first] = await claimInProcesses(1)
  await first?.kill()
  const dataDir = join(place.folder, 'data')
  for (const claim of ['after the killed one', 'after one that ended']) {
    const lock = lockDataFolder(dataDir)
    expect(() => lockDataFolder(dataDir), claim).toThrow(FolderInUseError)
    lock.release()
  }
})
