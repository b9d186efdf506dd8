import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { madeForEachTest } from '../../tests/support/made.ts'
import { isAlive } from './alive.ts'
import { startChild } from './child.ts'
import { supervise } from './supervise.ts'

const folder = madeForEachTest(
  async () => ({ path: await mkdtemp(join(tmpdir(), 'tidemark-supervise-test-')) }),
  ({ path }) => rm(path, { recursive: true, force: true }),
)

const idle = 'setInterval(() => undefined, 1000)'

function start(script: string, onLine: (line: string) => void = () => undefined) {
  return startChild({ name: 'sample', args: ['-e', script], env: { PATH: process.env.PATH }, onLine })
}

test('a process that exits is started again, and the log says why', async () => {
  const messages: string[] = []
  const supervised = await supervise({
    name: 'sample',
    start: () => start(idle),
    log: (message) => messages.push(message),
  })
  const first = supervised.pid()
  process.kill(first, 'SIGKILL')
  await vi.waitUntil(() => messages.includes('sample runs again'), { timeout: 20_000 })
  expect(messages[0]).toMatch(/^sample ended unexpectedly \(signal SIGKILL\); starting it again in 0\.5 s$/)
  expect(supervised.pid()).not.toBe(first)
  await supervised.stop()
  expect(isAlive(supervised.pid())).toBe(false)
})

test('a process that cannot start at all is an error, not a loop', async () => {
  const started = supervise({
    name: 'sample',
    start: () => Promise.reject(new Error('no such script')),
    log: () => undefined,
  })
  await expect(started).rejects.toThrow('no such script')
})

test('a process that is told to stop is not started again', async () => {
  let starts = 0
  const supervised = await supervise({
    name: 'sample',
    start: () => {
      starts += 1
      return start(idle)
    },
    log: () => undefined,
  })
  await supervised.stop()
  expect(starts).toBe(1)
})

test('a process that ignores SIGTERM is killed after the grace period, with what it started', async () => {
  const file = join(folder.path, 'pid')
  const ready = Promise.withResolvers<void>()
  const child = await start(
    `process.on('SIGTERM', () => undefined)
     const { spawn } = require('node:child_process')
     const inner = spawn(process.execPath, ['-e', ${JSON.stringify(idle)}])
     require('node:fs').writeFileSync(${JSON.stringify(file)}, String(inner.pid))
     console.log('ready')
     ${idle}`,
    () => ready.resolve(),
  )
  await ready.promise
  const inner = Number(await readFile(file, 'utf8'))
  expect(isAlive(inner)).toBe(true)
  await child.stop({ grace_ms: 50 })
  await vi.waitUntil(() => !isAlive(inner), { timeout: 20_000 })
})

test('the watchdog ends the started processes when the launcher is killed', async () => {
  const script = join(folder.path, 'launcher.mjs')
  const here = JSON.stringify(import.meta.dirname)
  await writeFile(
    script,
    `const { startChild } = await import(${here} + '/child.ts')
     const { startWatchdog } = await import(${here} + '/watchdog.ts')
     const child = await startChild({ name: 'sample', args: ['-e', '${idle}'], env: {}, onLine: () => undefined })
     startWatchdog().watch(child.pid, 0, 'SIGTERM')
     console.log(String(child.pid))
     ${idle}`,
  )
  const printed = Promise.withResolvers<number>()
  const launcher = await startChild({
    name: 'launcher',
    args: [script],
    env: { PATH: process.env.PATH },
    onLine: (line) => printed.resolve(Number(line)),
  })
  const pid = await printed.promise
  expect(isAlive(pid)).toBe(true)
  await launcher.kill()
  await vi.waitUntil(() => !isAlive(pid), { timeout: 20_000 })
})
