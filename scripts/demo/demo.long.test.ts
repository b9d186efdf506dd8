import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { launcherOfOneFolder } from '../../tests/support/product/launched-product.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { callerOf, openBrowser, signIn } from './caller.ts'

vi.setConfig({ testTimeout: 10 * 60_000, hookTimeout: 10 * 60_000 })
const launcher = launcherOfOneFolder()

async function planOfDana(url: string): Promise<string> {
  const ask = openBrowser(url)
  await signIn(ask, { email: 'demo@tidemark.test', password: 'tidemark-demo-1' })
  const dana = await callerOf(ask, url)
  const { subscription } = await dana.call<{ subscription: { id: string } | null }>('/api/account/summary')
  return subscription?.id ?? ''
}

const offsetOf = async (url: string): Promise<number> =>
  ((await (await fetch(`${url}/_sandbox/clock`)).json()) as { offset_ms: number }).offset_ms

test('a demo that is stopped in the middle is played anew by the next start, and by no further one', async () => {
  const first = await launcher.launch({ demo: true })
  const interrupted = await waitUntil(() => planOfDana(first.url), 'the plan of Dana')
  await first.stop()
  await expect(first.demo).rejects.toThrow()

  const second = await launcher.launch({ demo: true })
  await second.demo
  const plan = await planOfDana(second.url)
  expect(plan).not.toBe(interrupted)
  await second.stop()

  const third = await launcher.launch({ demo: true })
  expect(third.demo).toBeUndefined()
  expect(await planOfDana(third.url)).toBe(plan)
  expect(await offsetOf(third.stripeSandboxUrl)).toBe(0)
})

test('a start without the demo has no person with a plan, and the start after it leaves that as it is', async () => {
  const first = await launcher.launch({ demo: false })
  expect(first.demo).toBeUndefined()
  expect(await planOfDana(first.url)).toBe('')
  expect(await offsetOf(first.stripeSandboxUrl)).toBe(0)
  await first.stop()
  const second = await launcher.launch({ demo: true })
  expect(second.demo).toBeUndefined()
  expect(await planOfDana(second.url)).toBe('')
})

test('a demo that cannot be played to its end says why, leaves the real time, and is not tried again', async () => {
  const product = await launcher.launch({ demo: true })
  await product.turn('clerk', 'faults', { status: 500, count: 10_000, path_prefix: '/v1/client' })
  await expect(product.demo).rejects.toThrow('500')
  expect(await offsetOf(product.stripeSandboxUrl)).toBe(0)
  expect(readFileSync(join(launcher.dataDir, 'demo.json'), 'utf8')).toContain('over')
})
