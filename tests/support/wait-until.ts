/**
 * Polls until `check` returns something truthy, and returns it. Throws `what` after a minute, which is
 * less than a test has.
 */
export async function waitUntil<T>(
  check: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  what: string | (() => Promise<string> | string),
  limitMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + limitMs
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    const result = await check()
    if (result) return result
    if (Date.now() > deadline) {
      throw new Error(`Waited in vain for: ${typeof what === 'string' ? what : await what()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
