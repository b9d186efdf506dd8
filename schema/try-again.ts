import { setTimeout as delay } from 'node:timers/promises'

/** Does the work again after each of the waits, as long as it fails with an error that `mayPass`. */
export async function tryAgain<T>(
  work: () => Promise<T>,
  waits_ms: readonly number[],
  mayPass: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (const wait_ms of waits_ms) {
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error)) throw error
      await delay(wait_ms)
    }
  }
  return work()
}
