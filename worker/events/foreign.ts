import { isMissing } from '../../schema/stripe/missing.ts'

/**
 * What `fetch` finds. One account often serves several products, so Stripe may not have (any more) what an
 * event of another one is about: that is `foreign`. Of something that we know it is a contradiction, and
 * thrown.
 */
export async function foundOrForeign<T>(
  fetch: () => Promise<T>,
  isKnown: () => Promise<boolean>,
): Promise<T | 'foreign'> {
  try {
    return await fetch()
  } catch (error) {
    if (isMissing(error) && !(await isKnown())) return 'foreign'
    throw error
  }
}

export function foreign(what: string): string {
  return `${what} is not known to us, and Stripe does not have it (any more)`
}
