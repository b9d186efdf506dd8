import { isMissing } from '../../schema/vendors/stripe/missing.ts'
import { ignore, type Nothing } from './outcome.ts'

/**
 * What `fetch` finds at Stripe. One account often serves several products, so Stripe may not have (any more)
 * what an event of another one is about: nothing follows. That Stripe does not have what is ours, by a row of
 * ours, is a contradiction, and thrown.
 */
export async function foundOrForeign<T>(
  id: string,
  fetch: () => Promise<T>,
  isOurs: () => Promise<boolean>,
): Promise<T | Nothing> {
  try {
    return await fetch()
  } catch (error) {
    if (!isMissing(error) || (await isOurs())) throw error
    return ignore('not_sold', { id })
  }
}
