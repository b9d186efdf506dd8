import { afterEach, beforeEach, expect, it, vi } from 'vitest'

/** A minimal window. A reloaded page is a new module with the same storage. */
function openPage(storage: Pick<Storage, 'getItem' | 'setItem'>) {
  const page = Object.assign(new EventTarget(), { location: { reload: vi.fn() } })
  vi.stubGlobal('window', page)
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('sessionStorage', storage)
  return page
}

function storage(): Pick<Storage, 'getItem' | 'setItem'> {
  const kept = new Map<string, string>()
  return { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => void kept.set(name, value) }
}

async function startListening() {
  vi.resetModules()
  const module = await import('./reloadAfterRelease.ts')
  module.reloadAfterRelease()
  return module
}

const missingCode = () => new Event('vite:preloadError', { cancelable: true })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('the page shows the error when the code is missing after the reload too, and reloads again after the next release', async () => {
  const kept = storage()
  const before = openPage(kept)
  await startListening()
  before.dispatchEvent(missingCode())
  vi.runAllTimers()

  const after = openPage(kept)
  const { isReloadingAfterRelease } = await startListening()
  after.dispatchEvent(missingCode())
  vi.runAllTimers()
  expect(after.location.reload).not.toHaveBeenCalled()
  expect(isReloadingAfterRelease()).toBe(false)

  vi.advanceTimersByTime(61_000)
  after.dispatchEvent(missingCode())
  vi.runAllTimers()
  expect(after.location.reload).toHaveBeenCalledTimes(1)
})

it('the page stays when the browser is offline, and reloads for the next release', async () => {
  const page = openPage(storage())
  const { isReloadingAfterRelease } = await startListening()
  vi.stubGlobal('navigator', { onLine: false })
  page.dispatchEvent(missingCode())
  vi.runAllTimers()
  expect(page.location.reload).not.toHaveBeenCalled()
  expect(isReloadingAfterRelease()).toBe(false)

  vi.stubGlobal('navigator', { onLine: true })
  page.dispatchEvent(missingCode())
  vi.runAllTimers()
  expect(page.location.reload).toHaveBeenCalledTimes(1)
})

it('the page never reloads where nothing can be remembered', async () => {
  const blocked = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  }
  const page = openPage({ getItem: blocked, setItem: blocked })
  await startListening()
  page.dispatchEvent(missingCode())
  vi.runAllTimers()
  expect(page.location.reload).not.toHaveBeenCalled()
})
