import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Make<T> = () => T | undefined | Promise<T | undefined>

/**
 * An object shared by the tests of a file or `describe`, created before the first and closed after the last.
 * The result is a proxy, so that it can be a constant and be destructured; earlier use throws.
 */
export function madeOnce<T extends object>(make: Make<T>, end?: (made: T) => unknown): T {
  let made: T | undefined
  beforeAll(async () => {
    made = await make()
  })
  afterAll(async () => {
    if (made) await end?.(made)
  })
  return lazyProxy(() => made, 'It is made by a hook, before the tests; here it is not there (yet).')
}

/** The same, created before each test and closed after it. */
export function madeForEachTest<T extends object>(make: Make<T>, end?: (made: T) => unknown): T {
  let made: T | undefined
  beforeEach(async () => {
    made = await make()
  })
  afterEach(async () => {
    if (made) await end?.(made)
    made = undefined
  })
  return lazyProxy(() => made, 'It is made by a hook, before each test; here it is not there (yet).')
}

/** A proxy of what `find` returns at the moment of use; it throws `reason` while that is nothing. */
export function lazyProxy<T extends object>(find: () => T | undefined, reason: string): T {
  const found = () => {
    const object = find()
    if (object === undefined) throw new Error(reason)
    return object
  }
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(found(), key),
    set: (_, key, value) => Reflect.set(found(), key, value),
    has: (_, key) => Reflect.has(found(), key),
    ownKeys: () => Reflect.ownKeys(found()),
    getOwnPropertyDescriptor: (_, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(found(), key)
      return descriptor && { ...descriptor, configurable: true }
    },
  })
}
