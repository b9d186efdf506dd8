import * as playwright from '@playwright/test'
import type { ProductAddresses } from './global-setup.ts'
import { calmProduct, findLedgerProblems } from './product.ts'

/** For tests with global faults, deliveries or clock changes. They run last: the clock stays advanced. */
export const alone = { tag: '@alone' }
/** `npm test` runs these on a desktop only, and the long run in the browser of a phone, too. */
export const alsoOnPhones = { tag: '@phone' }
/** `npm test` runs these on a phone only, and the long run on a desktop, too. */
export const onPhonesFirst = { tag: ['@phone', '@phone-first'] }
/** Tests of this kind run in a German browser only. */
export const german = { tag: '@german' }
/** Only the long run (`npm run test:long`) has these. */
export const long = { tag: '@long' }
export const longAndAlone = { tag: ['@long', '@alone'] }
export const longAndOnPhones = { tag: ['@long', '@phone'] }

/**
 * Each worker has a product of its own, whose ledger is verified at its end; each test still creates its own
 * people.
 */
export const test = playwright.test.extend<{ calm: undefined }, { product: ProductAddresses }>({
  product: [
    async ({ browserName: _browser }, use, { parallelIndex }) => {
      const products = JSON.parse(process.env.E2E_PRODUCTS ?? '[]') as ProductAddresses[]
      const own = products[parallelIndex]
      if (!own) throw new Error('E2E_PRODUCTS names no product for this worker: the global setup sets it')
      Object.assign(process.env, own)
      await use(own)
      expect(await findLedgerProblems(), 'problems of the ledger after the tests of this worker').toEqual([])
    },
    { auto: true, scope: 'worker' },
  ],
  baseURL: ({ product }, use) => use(product.E2E_APP_URL),
  calm: [
    async ({ product: _product }, use, { tags }) => {
      await use(undefined)
      if (tags.includes(alone.tag)) await calmProduct()
    },
    { auto: true },
  ],
})

export const expect = playwright.expect
